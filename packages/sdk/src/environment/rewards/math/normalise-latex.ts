/** Words after a number that say of what; the number is the answer. Singular and plural. */
const UNITS = [
  'mm|cm|dm|km|m|in|ft|yd|mi|inch|inches|foot|feet|yard|mile|meter|metre|centimeter|kilometer|kilometre',
  'mg|g|kg|gm|lb|oz|gram|kilogram|pound|ounce|ton|l|ml|liter|litre|gallon|gal',
  's|sec|second|min|minute|h|hr|hour|day|week|month|year|yr|mph|kmh|kmph',
  'dollar|cent|euro|rupee|coin|degree|deg|unit|point|digit|mark|number|integer',
  'student|child|children|man|men|woman|women|people|person|apple|ticket|toy|tile|meal|way|edge|page|book',
  'sq|square|cubic|sq m|square meter|square metre|square feet|square unit|cubic unit|acre|hectare|north|south|east|west',
].join('|');

/** `5 km`, `\frac{1}{2} hours`: only after a digit, a closing brace or white space, so that `xm` stays a product. */
const TRAILING_UNIT = new RegExp(`(?<=[\\d}\\s])\\s*(?:${UNITS})(?:s|es)?\\s*$`);

/** `\text{ cm}^2` at the end; what is in it may be any words. */
const TRAILING_TEXT = /\s*\\(?:text|mbox)\s*\{[^{}]*\}(?:\s*\^\s*(?:\d|\{\d+\}))?\s*$/;

const SPACES = /(?<!\\)\\[,;:!\s]|\\q?quad(?![a-zA-Z])|~|[\n\t\r]/g;

/** Takes away how an answer is set and leaves what it says. The result is compared as text too. */
export function normaliseLatex(latex: string): string {
  let text = latex
    .replaceAll(/\\\\(?=[a-zA-Z])(?![\s\S]*\\end)/g, '\\')
    .replaceAll(SPACES, (space) => (space === '\\!' ? '' : ' '))
    .replaceAll(/\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\s*\.?/g, '')
    .replaceAll(/\\(?:displaystyle|textstyle|limits|tiny|large|Large)(?![a-zA-Z])/g, '')
    .replaceAll(/\\[dtc](frac|binom)(?![a-zA-Z])/g, '\\$1')
    .replaceAll(
      /\\(?:mathrm|mathit|mathbf|textbf|textit|textrm|textnormal|mbox|mathsf|boldsymbol)(?![a-zA-Z])/g,
      '\\text',
    )
    .replaceAll(/\\text\s*\{\s*\}/g, '')
    .replaceAll(/\{\s*,\s*\}/g, ',')
    .replaceAll(/\\\$|\$|(?<!\\)["'](?![a-zA-Z'])/g, '')
    .replaceAll(/,?\s*\\text\s*\{\s*(?:and|or)\s*\}|,?\s*(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z])/g, ',')
    .replaceAll(
      /\s*\\text\s*\{\s*(?:percent|percentage|pct)\s*\}|\s*(?<![a-zA-Z\\])(?:percentage|percent|pct)(?![a-zA-Z])/g,
      '\\%',
    )
    .replaceAll(/(?<![\\a-zA-Z])(?:infinity|inf)(?![a-zA-Z])/g, '\\infty')
    .replaceAll(/(?<![\\a-zA-Z])sqrt\s*\(([^()]*)\)/g, '\\sqrt{$1}')
    .replaceAll(/(?<![\\a-zA-Z])(sqrt|pi)(?![a-zA-Z])/g, '\\$1')
    .replaceAll(/,?\s*\\[lc]?dots(?![a-zA-Z])/g, ' ')
    .replaceAll('−', '-')
    .trim();
  text = dropUnit(text, TRAILING_TEXT);
  // Twice, for `square` and `feet`.
  text = dropUnit(dropUnit(text, TRAILING_UNIT), TRAILING_UNIT);
  // A full stop ends the sentence, not the number.
  return text.replace(/[.,;]+$/, '').trim();
}

/** A unit that is all there is, as in `\text{east}`, is the answer. */
function dropUnit(text: string, unit: RegExp): string {
  const rest = text.replace(unit, '').trim();
  return rest === '' ? text : rest;
}
