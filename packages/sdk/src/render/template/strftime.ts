import { templateFailure } from './values.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const pad = (value: number, length = 2, filler = '0'): string => String(value).padStart(length, filler);

/** `datetime.strftime` in the C locale, in which Python runs unless told otherwise; whoever renders may not be in English. */
export function formatTime(date: Date, format: string): string {
  return format.replaceAll(/%(?<flag>-?)(?<code>.)/gs, (whole, flag: string, code: string) => {
    const text = formatField(date, code);
    if (text === undefined) throw templateFailure(`strftime_now does not know ${whole}`);
    return flag === '-' ? text.replace(/^[0 ]+(?=.)/, '') : text;
  });
}

function formatField(date: Date, code: string): string | undefined {
  switch (code) {
    case 'Y':
      return String(date.getFullYear());
    case 'y':
      return pad(date.getFullYear() % 100);
    case 'm':
      return pad(date.getMonth() + 1);
    case 'd':
      return pad(date.getDate());
    case 'e':
      return pad(date.getDate(), 2, ' ');
    case 'B':
      return MONTHS[date.getMonth()];
    case 'b':
    case 'h':
      return MONTHS[date.getMonth()]?.slice(0, 3);
    case 'A':
      return DAYS[date.getDay()];
    case 'a':
      return DAYS[date.getDay()]?.slice(0, 3);
    case 'H':
      return pad(date.getHours());
    case 'I':
      return pad(date.getHours() % 12 || 12);
    case 'p':
      return date.getHours() < 12 ? 'AM' : 'PM';
    case 'M':
      return pad(date.getMinutes());
    case 'S':
      return pad(date.getSeconds());
    case 'f':
      return pad(date.getMilliseconds() * 1000, 6);
    case 'j':
      return pad(countDays(date), 3);
    case 'F':
      return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
    case 'T':
      return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
    case '%':
      return '%';
    default:
      return undefined;
  }
}

const countDays = (date: Date): number =>
  Math.round(
    (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 1)) / 86_400_000,
  ) + 1;
