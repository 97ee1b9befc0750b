import type { FormatShareGptOptions } from '../../../packages/data/src/export/sharegpt/write-sharegpt.ts';
import { formatPythonJson } from '@lachesis/sdk/render';

const STRING_OR_SPACE = /"(?:[^"\\]|\\.)*"| /gs;
const STRING_OR_FLOAT = /"(?:[^"\\]|\\.)*"|\.0(?!\d)/gs;

/** Keeps texts and takes everything else that matches out. */
const without = (json: string, pattern: RegExp): string =>
  json.replaceAll(pattern, (part) => (part.startsWith('"') ? part : ''));

/** Writers with one fault each, as somebody could write them. */
export const mutants: Readonly<Record<string, FormatShareGptOptions>> = {
  'no space behind : and ,': { formatJson: (value) => without(formatPythonJson(value), STRING_OR_SPACE) },
  '1.0 becomes 1': { formatJson: (value) => without(formatPythonJson(value), STRING_OR_FLOAT) },
  'no empty thinking block': { think: 'present' },
};
