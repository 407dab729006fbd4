import type { CommandName } from '../flags.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';
import type { PrintedCommand } from './printed.ts';

/** Commands are loaded when they run: a usage error or `--help` need not wait for the drivers. */
export async function loadCommand(name: Exclude<CommandName, PrintedCommand>): Promise<(context: CommandContext) => Promise<CommandOutcome>> {
  switch (name) {
    case 'init':
      return (await import('./init.ts')).init;
    case 'rebuild':
      return (await import('./rebuild.ts')).rebuild;
    case 'audit':
      return (await import('./audit.ts')).audit;
    case 'ctl':
      return (await import('./ctl.ts')).ctl;
    case 'swap':
      return (await import('./swap.ts')).swap;
    case 'rollback':
      return (await import('./rollback.ts')).rollback;
    case 'cleanup':
      return (await import('./cleanup.ts')).cleanup;
    case 'plan':
      return (await import('./plan.ts')).plan;
    case 'check':
      return (await import('./check.ts')).check;
    case 'status':
      return (await import('./status.ts')).status;
    case 'abort':
      return (await import('./abort.ts')).abort;
  }
}
