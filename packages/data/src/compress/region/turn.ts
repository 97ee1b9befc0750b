import { formatPythonJson, type PythonJsonValue } from '@lachesis/sdk/render';
import { memberOf } from '../../records/python/parse-python-json.ts';

/** One element of `conversations`, as text. */
export interface Turn {
  readonly from: string;
  readonly value: string;
}

/** Reads an element. Content in parts, as with images, is taken as its JSON; nothing is an empty text. */
export function toTurn(element: PythonJsonValue): Turn {
  const from = memberOf(element, 'from');
  const value = memberOf(element, 'value');
  return {
    from: typeof from === 'string' ? from : '',
    value: typeof value === 'string' ? value : value === undefined || value === null ? '' : formatPythonJson(value),
  };
}
