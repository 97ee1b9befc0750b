import { type CorpusCase, expectCase } from '../../render/call-corpus/corpus.ts';
import { type CallWriter, type MeantCall, toJson } from './call-writer.ts';

const text = (value: string): string => JSON.stringify(value);
const call = (name: string, ...values: [string, string][]): MeantCall => ({ name, values });

/** One call each. What is in quotes here is no JSON by itself, so every format can carry it. */
const MEANT: readonly MeantCall[] = [
  call('now'),
  call('f', ['a', '1']),
  call('f', ['a', '-7'], ['b', '0']),
  call('f', ['a', '1.0'], ['b', '0.1']),
  call('f', ['a', '1e-7'], ['b', '-2.5E+10']),
  call('f', ['a', '123456789012345678901234567890']),
  call('f', ['a', '1e400']),
  call('f', ['yes', 'true'], ['no', 'false'], ['none', 'null']),
  call('f', ['list', '[1, 2, [3, []], {}]']),
  call('f', ['object', '{"a": {"b": {"c": [{"d": null}]}}}']),
  call('f', ['object', '{"x": "}{][", "y": "<b>", "z": "\\\\"}']),
  call('f', ['twice', '{"k": 1, "k": 2}']),
  call('read_file', ['path', text('/tmp/a b.txt')]),
  call('terminal', ['command', text('ls -la | grep "x" && echo \'done\'')]),
  call('write_file', ['path', text('a.py')], ['content', text('def f():\n    return {"a": 1}\n\n# end')]),
  call('write_file', ['content', text('```json\n{"a": 1}\n```')]),
  call('search', ['query', text('日本語 と émoji 🎌👩‍👩‍👧')]),
  call('search', ['ключ', text('значение')], ['鍵', '1']),
  call('f', ['brace', text('} } ] , :')], ['open', text('{ [ (')]),
  call('f', ['quote', text('say "hi" and \\ back \\n slash')]),
  call('f', ['control', text('tab\there \u0001 and \u2028 line')]),
  call('f', ['empty', text('')]),
  call('f', ['html', text('<p class="x">a &amp; b</p> <!-- </p> -->')]),
  call('f', ['math', text('a < b && c > d; 1 << 3')]),
  call('f', ['long', text('word '.repeat(150))]),
  call('f', ['__proto__', '1'], ['constructor', '2']),
  call('f', ['10', '1'], ['9', '2'], ['z', '3']),
  call('f', ['near', text('[TOOL_ <tool_ <｜tool <|tool_ </par </arg_')]),
  call('get-weather_2', ['city', text('Zürich')]),
];

/** Good replies: each call alone, and calls beside text, beside each other, in fences and behind thinking. */
export function makeGood(writer: CallWriter): readonly CorpusCase[] {
  const { write, gap } = writer;
  const expectCall = (meant: MeantCall, index = 0): string => {
    const id = writer.id?.(meant, index);
    return `${meant.name}(${toJson(meant)})${id === undefined ? '' : `#${id}`}`;
  };
  const expectCalls = (calls: readonly MeantCall[]): string[] =>
    calls.flatMap((meant, index) => [...(index > 0 && gap !== '' ? [gap] : []), expectCall(meant, index)]);
  const a = call('a', ['x', '1']);
  const b = call('b', ['y', text('two words')]);
  const one = write([a], 'behind-text');
  const surround = (before: string, after: string): CorpusCase =>
    expectCase(before + one + after, before, expectCall(a), ...(after === '' ? [] : [after]));
  return [
    ...MEANT.map((meant) => expectCase(write([meant], 'start'), expectCall(meant))),
    ...[
      [a, b],
      [b, a],
      [a, a],
      [a, b, a],
      [call('none'), call('none')],
    ].map((calls) => expectCase(write(calls, 'start'), ...expectCalls(calls))),
    surround('Let me look.\n', ''),
    surround('日本 🎌: ', ''),
    surround('I call it ', ' and wait.'),
    surround('```\n', '\n```'),
    surround('```xml\n', '\n```\nThat was it.'),
    surround('<think>\nI need a.\n</think>\n\n', ''),
    surround('{not: a call} ', ''),
    surround('a < b, [1], <tool> and <| then ', '\n\n'),
    expectCase(`One ${one} two ${one} three`, 'One ', expectCall(a), ' two ', expectCall(a), ' three'),
    expectCase('Nothing to call here.', 'Nothing to call here.'),
    expectCase('a < b and [x] and {y} and <| and <', 'a < b and [x] and {y} and <| and <'),
    expectCase('日本語 🎌', '日本語 🎌'),
  ];
}
