/** A kind of column: its type, and the SQL of a value made of the integer expression `h`. */
export interface ValueKind {
  readonly name: string;
  readonly type: string;
  value(h: string): string;
}

const kind = (name: string, type: string, value: (h: string) => string): ValueKind => ({ name, type, value });

export const TYPES_SQL = `
  create type mood as enum ('sad', 'so so', 'Happy');
  create type pair as (n int, note text, at timestamptz);
  create domain positive as int check (value >= 0);
  create domain word as varchar(40);`;

export const VALUES: readonly ValueKind[] = [
  kind(
    'doc',
    'jsonb',
    (h) => String.raw`jsonb_build_object('k', ${h}, 'big', 1533947986218845197 + ${h}, 'deep', jsonb_build_array(null, ${h} * 0.1, 'x"\' || ${h}))`,
  ),
  kind('raw', 'json', (h) => `json_build_object('a', ${h}, 'b', repeat('z', ${h} % 40))`),
  kind('tags', 'text[]', (h) => String.raw`array['a' || ${h} % 10, null, 'b"\' || ${h}, '']`),
  kind('grid', 'int[]', (h) => `array[[${h}, null], [1, -(${h})]]`),
  kind('span', 'int4range', (h) => `int4range(${h} % 1000, ${h} % 1000 + ${h} % 3)`),
  kind('times', 'tstzrange', (h) => `tstzrange(timestamptz '2001-01-01 00:00Z' + ${h} * interval '1 s', null)`),
  kind('spans', 'int8multirange', (h) => `int8multirange(int8range(${h}, ${h} + 2), int8range(${h} + 5, ${h} + 9))`),
  kind('amount', 'numeric', (h) => `${h} * 12345678901234567890.000000000123 * 1e30`),
  kind('price', 'numeric(14,3)', (h) => `${h} / 7.0`),
  kind('ratio', 'float8', (h) => `(case ${h} % 9 when 0 then 'NaN' when 1 then '-Infinity' else (${h} / 3.0)::text end)::float8`),
  kind('small', 'real', (h) => `(${h} / 3.0)::real`),
  kind('bin', 'bytea', (h) => `decode(md5((${h})::text), 'hex')`),
  kind('at', 'timestamptz', (h) => `timestamptz '2001-01-01 00:00Z' + ${h} * interval '1.5 s'`),
  kind('local', 'timestamp', (h) => `timestamp '2001-01-01 00:00' + ${h} * interval '1.000001 s'`),
  kind('day', 'date', (h) => `date '1999-12-31' + ${h} % 20000`),
  kind('lasts', 'interval', (h) => `${h} * interval '1.1 s'`),
  kind('mood', 'mood', (h) => `(array['sad', 'so so', 'Happy'])[1 + ${h} % 3]::mood`),
  kind('pair', 'pair', (h) => `row(${h}, 'p, "' || ${h}, timestamptz '2001-01-01 00:00Z')::pair`),
  kind('pairs', 'pair[]', (h) => `array[row(${h}, null, null)::pair, row(1, ' ', null)::pair]`),
  kind('whole', 'positive', (h) => `${h}`),
  kind('word', 'word', (h) => `'w' || ${h}`),
  kind('address', 'inet', (h) => `inet '10.0.0.0' + ${h} % 65536`),
  kind('other', 'uuid', (h) => `md5((${h} + 1)::text)::uuid`),
  kind('flag', 'boolean', (h) => `${h} % 2 = 0`),
  kind('padded', 'char(12)', (h) => `'c' || ${h}`),
  kind('bits', 'varbit', (h) => `(${h} % 256)::bit(8)::varbit`),
  kind('words', 'tsvector', (h) => `to_tsvector('simple', 'w' || ${h} || ' two')`),
  kind('number', 'oid', (h) => `(${h} % 100000)::oid`),
  kind('mostly_toast', 'text[]', (h) => `array_fill(md5((${h})::text), array[1 + ${h} % 120])`),
];
