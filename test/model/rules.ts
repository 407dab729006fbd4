/** The rules of docs/correctness.md, each of which can be switched off alone. */
export const RULES = {
  'R0 visible first': 'the load starts only when everything before CP is visible',
  'R1 commit LSN': 'a change has the LSN of its commit as version, not its own',
  'R1 below CP': 'a loaded row has version CP − 1, not CP',
  'R2 one operation': 'a transaction has one operation for each key',
  'R2 parts': 'a transaction in parts is applied with external_gte, a part only when the one before it is durable',
  'R2 whole': 'the replay ends only when no transaction is in the index in part',
  'R3 deletes again': 'after the bulks of a chunk the deletes that it did not see are sent again',
  'R3 memory': 'a delete is forgotten only when every chunk in flight saw it, one that is being opened included',
  'R3 first attempt': 'a chunk that is read again answers for what its first attempt saw',
  'R4 effect first': 'nothing is acknowledged before it is durable',
  'R4 chunk floor': 'nothing is acknowledged past what was seen to be visible when a chunk in flight began',
  'R4 visible': 'nothing is acknowledged before it is visible',
  'R4 dead bulks': 'a resume waits until no bulk of the dead process can land any more',
  'R4 restart': 'after a reconnect only what was applied again counts as durable and may be acknowledged',
  'R5 order': 'the operations of one key are sent one after the other',
  'R6 known fate': 'a request without an answer is over before the next step that relies on it',
  'R7 truncate below': 'a TRUNCATE deletes with a version just below that of the rows its transaction inserts',
  'lookup visible': 'a row is looked up only in a snapshot that shows the transaction',
  'lookup fence': 'rows are looked up under the snapshot of the fence while the replay runs to it',
} as const;

export type Rule = keyof typeof RULES;

/** True for a rule that is in force. */
export type RuleSet = (rule: Rule) => boolean;

export function allBut(off: Rule | null): RuleSet {
  return (rule) => rule !== off;
}
