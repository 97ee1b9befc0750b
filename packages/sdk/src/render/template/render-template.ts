import { RenderError } from '../errors/render-error.ts';
import { formatPythonText } from '../python/python-text.ts';
import type { CompiledTemplate } from './compile-template.ts';
import { Evaluator } from './evaluator.ts';
import { Scope } from './scope.ts';
import { formatTime } from './strftime.ts';
import type { TextMark } from './text-mark.ts';
import { Callable, type Dict, Namespace, type Value, isInteger, readName, templateFailure } from './values.ts';

/** A part of the output, in UTF-16 units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface RenderedTemplate {
  readonly text: string;
  /** What each turn of a loop wrote, by the dict it went over: by identity, so by message. */
  readonly items: ReadonlyMap<Dict, TextSpan>;
  /** What stood between `{% generation %}` and its end. */
  readonly generations: readonly TextSpan[];
}

export interface RenderTemplateOptions {
  readonly template: CompiledTemplate;
  readonly variables: ReadonlyMap<string, Value>;
  readonly mark: TextMark;
  /** For `strftime_now`; milliseconds since 1970, shown in the time zone of this process as Python does. */
  readonly now: () => number;
}

const RANGE_LIMIT = 100_000;

export function renderTemplate(options: RenderTemplateOptions): RenderedTemplate {
  const items = new Map<Dict, TextSpan>();
  const generations: TextSpan[] = [];
  let openedAt: number | undefined;
  const evaluator = new Evaluator(options.mark, {
    onItem(item, start, end) {
      const before = items.get(item);
      // Some templates go over the messages twice, the first time only to look.
      if (before === undefined || end - start > before.end - before.start) items.set(item, { start, end });
    },
    onGeneration(isOpen, at) {
      if (isOpen) openedAt = at;
      else if (openedAt !== undefined) {
        generations.push({ start: openedAt, end: at });
        openedAt = undefined;
      }
    },
  });
  const globals = createGlobals(options);
  for (const [name, value] of options.variables) globals.write(name, value);
  const text = evaluator.run(options.template.program, new Scope(globals));
  return { text, items, generations };
}

function createGlobals({ now, mark }: RenderTemplateOptions): Scope {
  const globals = new Scope();
  const define = (name: string, value: Value): void => globals.write(name, value);
  for (const name of ['true', 'True']) define(name, true);
  for (const name of ['false', 'False']) define(name, false);
  for (const name of ['none', 'None']) define(name, null);
  define(
    'raise_exception',
    new Callable(({ positional }) => {
      const message = formatPythonText(positional[0] ?? '', mark);
      throw new RenderError({ kind: 'template-refused', reason: `The chat template refused the messages: ${message}` });
    }),
  );
  define('strftime_now', new Callable(({ positional }) => formatTime(new Date(now()), readName(positional[0] ?? ''))));
  define('range', new Callable(({ positional }) => listRange(positional)));
  define(
    'dict',
    new Callable(({ positional, named }) => new Map<Value, Value>([...readEntries(positional[0]), ...named])),
  );
  define(
    'namespace',
    new Callable(({ positional, named }) => {
      const namespace = new Namespace();
      for (const [key, value] of readEntries(positional[0])) namespace.attributes.set(readName(key), value);
      for (const [key, value] of named) namespace.attributes.set(key, value);
      return namespace;
    }),
  );
  return globals;
}

function readEntries(value: Value | undefined): Dict {
  if (value === undefined) return new Map();
  if (!(value instanceof Map)) throw templateFailure('only a dict can fill a dict or a namespace');
  return value;
}

function listRange(bounds: readonly Value[]): Value[] {
  if (bounds.length === 0 || !bounds.every((bound) => isInteger(bound))) throw templateFailure('range needs integers');
  const [first = 0, second, third] = bounds.map(Number);
  const [start, stop, step] = second === undefined ? [0, first, 1] : [first, second, third ?? 1];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (step === 0 || length > RANGE_LIMIT) throw templateFailure(`range of more than ${RANGE_LIMIT} numbers`);
  return Array.from({ length }, (_unused, index) => start + index * step);
}
