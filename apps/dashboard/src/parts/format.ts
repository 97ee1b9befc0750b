const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 3, useGrouping: false });
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumSignificantDigits: 3 });
// Made once: a list that is scrolled writes hundreds of moments, and making a format costs more than using it.
const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** A measured number in few characters; what is not there is a dash. */
export function writeNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? value.toExponential(1) : plain.format(value);
}

export const writeCount = (value: number): string => whole.format(value);
export const writeMoney = (value: number): string => money.format(value);

/** The two largest units: `4 min 12 s`. */
export function writeDuration(seconds: number): string {
  const units: readonly (readonly [name: string, size: number])[] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  let rest = Math.max(0, Math.round(seconds));
  const parts = units.map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { name, count };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(' ');
}

/** Today the time, before that the day. */
export function writeMoment(at: number, now = Date.now()): string {
  const moment = new Date(at);
  const isToday = moment.toDateString() === new Date(now).toDateString();
  return (isToday ? time : day).format(moment);
}

/** A setting, a fact of an event: words as they are, the rest as JSON. */
export const writeValue = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
