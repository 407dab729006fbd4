import type { AuditReport } from '../../core/audit-report.ts';
import type { VerifyReport } from '../../core/events.ts';
import type { KeyMask } from './key-mask.ts';
import type { ReportedDifference, Verification } from './report-schema.ts';

/** The partition of an id among so many. */
export type PartitionOf = (id: string, partitions: number) => number;

interface Tools {
  readonly mask: KeyMask;
  readonly partitionOf: PartitionOf;
}

type Kinds = Verification['kinds'];

const NO_KINDS: Kinds = { missing: 0, extra: 0, different: 0, stale: 0 };

/** What a report tells of the verification of a rebuild. */
export function verificationOf(report: VerifyReport & { readonly passed: boolean }, { mask, partitionOf }: Tools): Verification {
  const differences = report.differences.map((difference) => ({
    key: mask.key(difference.id),
    kind: difference.kind,
    fields: difference.fields,
    values: mask.values(difference.values ?? []),
    partition: report.partitions === 0 ? null : partitionOf(difference.id, report.partitions),
    foreign: null,
    copies: 1,
  }));
  return {
    ...figures(report, mask),
    passed: report.passed,
    partitionDrift: driftByPartition(differences),
    differences,
    kinds: countKinds(differences),
    unsettledCount: report.unsettled.length,
    audit: null,
  };
}

/** What a report tells of an audit. */
export function verificationOfAudit(report: AuditReport & { readonly next: readonly string[] }, mask: KeyMask): Verification {
  const { verdict, ours, fedBy, foreignWrites, covered, sectioned, settle, next } = report;
  return {
    ...figures(report, mask),
    passed: verdict === 'equal',
    partitionDrift: report.partitionDrift,
    differences: report.differences.map(({ id, kind, fields, values, partition, foreign, copies }) => ({
      key: mask.key(id),
      kind,
      fields,
      values: mask.values(values ?? []),
      partition,
      foreign,
      copies,
    })),
    kinds: report.kinds,
    unsettledCount: report.unsettledCount,
    audit: {
      ...{ verdict, ours, fedBy, foreignWrites, covered, sectioned, settle, next },
      mapping: report.mapping,
      ignored: report.ignored.map(({ field, documents }) => ({ field, documents })),
      repair: repairPart(report.repair, mask),
    },
  };
}

function repairPart(repair: AuditReport['repair'], mask: KeyMask): NonNullable<Verification['audit']>['repair'] {
  if (repair === null) return null;
  return { ...repair, refused: repair.refused.map(({ id, reason }) => ({ key: mask.key(id), reason })) };
}

type Figures = Omit<Verification, 'passed' | 'partitionDrift' | 'differences' | 'kinds' | 'unsettledCount' | 'audit'>;

function figures(report: Omit<VerifyReport, 'differences' | 'mode'> & { readonly mode: Verification['mode'] }, mask: KeyMask): Figures {
  const { mode, method, fenceLsn, rows, documents, rejected, partitions, partitionsEqual, sampled, seed, differenceCount, blindSpots } = report;
  const named = { mode, method, fenceLsn, rows, documents, rejected, partitions, partitionsEqual, sampled, seed, differenceCount, blindSpots };
  return { ...named, partitionsDiffering: report.partitionsDiffering ?? [], unsettled: report.unsettled.map((id) => mask.key(id)) };
}

function countKinds(differences: readonly ReportedDifference[]): Kinds {
  const kinds = { ...NO_KINDS };
  for (const { kind } of differences) if (kind in kinds) kinds[kind as keyof Kinds]++;
  return kinds;
}

function driftByPartition(differences: readonly ReportedDifference[]): Verification['partitionDrift'] {
  const byPartition = new Map<number, ReportedDifference[]>();
  for (const difference of differences) {
    if (difference.partition === null) continue;
    const known = byPartition.get(difference.partition);
    if (known === undefined) byPartition.set(difference.partition, [difference]);
    else known.push(difference);
  }
  return [...byPartition].sort(([a], [b]) => a - b).map(([partition, found]) => ({ partition, ...countKinds(found) }));
}
