const INSTANT = /^([+-]?)(\d{4,9})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?( BC)?$/;
const NANOS_PER_SECOND = 1_000_000_000n;

/**
 * A date or timestamp, in PostgreSQL's or ISO spelling, as nanoseconds since 1970-01-01 UTC (a text without a zone counts as UTC); null if it is
 * neither (`infinity`). `2024-01-02 03:04:05.5+00` = `2024-01-02T03:04:05.500Z`; `0044-03-15 BC` = `-0043-03-15`.
 */
export function parseInstant(text: string): bigint | null {
  const match = INSTANT.exec(text);
  if (match === null) return null;
  const [, sign = '', year = '', month = '', day = '', hour = '0', minute = '0', second = '0', fraction = '', zone = '', bc = ''] = match;
  const astronomical = bc === '' ? Number(`${sign}${year}`) : 1 - Number(year);
  const days = daysFromCivil(astronomical, Number(month), Number(day));
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second) - zoneSeconds(zone);
  return (BigInt(days) * 86_400n + BigInt(seconds)) * NANOS_PER_SECOND + BigInt(fraction.padEnd(9, '0'));
}

/** Days since 1970-01-01 in the proleptic Gregorian calendar, which both servers use (Hinnant's days_from_civil; years begin in March). */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468;
}

function zoneSeconds(zone: string): number {
  if (zone === '' || zone === 'Z') return 0;
  const digits = zone.slice(1).replaceAll(':', '').padEnd(6, '0');
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4, 6));
  return zone.startsWith('-') ? -seconds : seconds;
}
