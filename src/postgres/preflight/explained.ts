interface PlanNode {
  readonly 'Node Type'?: string;
  readonly 'Parent Relationship'?: string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [detail: string]: unknown;
}

/** `t`, or `t_1`, `t_2`, … for the leaves of a partitioned table. */
const OWN_ALIAS = /^t(_\d+)?$/;
const OTHER_SOURCES = new Set(['Function Scan', 'Table Function Scan', 'CTE Scan', 'Values Scan', 'ProjectSet', 'Aggregate', 'WindowAgg']);

/** True if the plan reads anything beside the rows of the table `t`: a subquery, another table, a function that returns rows. */
export function readsElsewhere(explained: unknown): boolean {
  return nodesOf(explained).some(
    (node) =>
      node['Parent Relationship'] === 'SubPlan' ||
      node['Parent Relationship'] === 'InitPlan' ||
      (node['Relation Name'] !== undefined && !OWN_ALIAS.test(node.Alias ?? '')) ||
      OTHER_SOURCES.has(node['Node Type'] ?? ''),
  );
}

const IDENTIFIER = '(?:"(?:[^"]|"")+"|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
const CALL = new RegExp(`(?:${IDENTIFIER}\\.)?${IDENTIFIER}(?=\\()`, 'g');
/** Written without parentheses; they are no functions for the parser. */
const WORDS =
  /\b(?:CURRENT_DATE|CURRENT_TIME|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP|CURRENT_USER|CURRENT_ROLE|SESSION_USER|USER|CURRENT_CATALOG|CURRENT_SCHEMA)\b/g;

/** The names of the functions that the expressions call, as the server prints them back: with their schema unless it is pg_catalog. May hold words that are no functions. */
export function functionNames(explained: unknown): readonly string[] {
  const texts = nodesOf(explained).flatMap(expressionTexts);
  const names = texts
    .map((text) => text.replace(/'(?:[^']|'')*'/g, "''"))
    .flatMap((text) => [...(text.match(CALL) ?? []), ...(text.match(WORDS) ?? [])]);
  return [...new Set(names.map((name) => (name.includes('"') ? name : name.toLowerCase())))].sort();
}

function expressionTexts(node: PlanNode): readonly string[] {
  return Object.entries(node)
    .filter(([detail]) => detail === 'Output' || /(?:Cond|Filter)$/.test(detail))
    .flatMap(([, value]) => (Array.isArray(value) ? value.map(String) : [String(value)]));
}

function nodesOf(explained: unknown): readonly PlanNode[] {
  const [first] = Array.isArray(explained) ? (explained as readonly { readonly Plan?: PlanNode }[]) : [];
  return first?.Plan === undefined ? [] : withChildren(first.Plan);
}

function withChildren(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(withChildren)];
}
