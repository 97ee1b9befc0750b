/**
 * What calls the function under repair in the clean sandbox. It reads lists of arguments and prints, as its last line, what
 * came of each call. It knows no right result, so there is none for the code under repair to find.
 */
const PYTHON = `
import importlib, json, os, sys
calls = json.load(sys.stdin)
sys.path.insert(0, os.getcwd())
function = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
results = []
for args in calls:
    try:
        results.append({"value": function(*args)})
    except Exception as error:
        results.append({"throws": type(error).__name__})
print("\\n" + json.dumps(results), flush=True)
os._exit(0)
`;

const JAVASCRIPT = `
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const [file, entry] = process.argv.slice(1);
const calls = JSON.parse(readFileSync(0, 'utf8'));
const loaded = await import(pathToFileURL(process.cwd() + '/' + file).href);
const results = [];
for (const args of calls) {
  try {
    results.push({ value: await loaded[entry](...args) });
  } catch (error) {
    results.push({ throws: error?.name });
  }
}
writeSync(1, '\\n' + JSON.stringify(results) + '\\n');
process.exit(0);
`;

export const pythonDriver = (module: string, entry: string): string[] => [
  'python3',
  '-I',
  '-B',
  '-c',
  PYTHON,
  module,
  entry,
];

export const javaScriptDriver = (file: string, entry: string): string[] => [
  'node',
  '--input-type=module',
  '-e',
  JAVASCRIPT,
  '--',
  file,
  entry,
];
