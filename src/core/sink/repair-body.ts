/** When a repair may write: nobody has written the document since it was read, or there is none, or (`version`) nothing newer has come. */
export type RepairCondition =
  | { readonly kind: 'unchanged'; readonly seqNo: bigint; readonly primaryTerm: bigint }
  | { readonly kind: 'absent' }
  | { readonly kind: 'version'; readonly version: bigint };

/** One document as it should be; null: it should not be there. */
export interface RepairOperation {
  readonly id: string;
  /** Only of a document that somebody wrote with a routing. */
  readonly routing: string | null;
  readonly document: Buffer | null;
  readonly condition: RepairCondition;
}

/** The NDJSON of one `_bulk` request. Numbers go as text: `Number` would round a version or a sequence number. */
export function repairBody(operations: readonly RepairOperation[]): Buffer {
  const parts: Buffer[] = [];
  for (const operation of operations) {
    parts.push(Buffer.from(`${actionLine(operation)}\n`));
    if (operation.document !== null) parts.push(operation.document, NEWLINE);
  }
  return Buffer.concat(parts);
}

const NEWLINE = Buffer.from('\n');

function actionLine({ id, routing, document, condition }: RepairOperation): string {
  const target = `"_id":${JSON.stringify(id)}${routing === null ? '' : `,"routing":${JSON.stringify(routing)}`}`;
  switch (condition.kind) {
    case 'unchanged':
      return `{"${document === null ? 'delete' : 'index'}":{${target},"if_seq_no":${condition.seqNo},"if_primary_term":${condition.primaryTerm}}}`;
    case 'absent':
      return `{"create":{${target}}}`;
    case 'version':
      return `{"index":{${target},"version":${condition.version},"version_type":"external"}}`;
  }
}
