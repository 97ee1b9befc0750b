import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SOURCE = /\.[jt]s$/;
/** A line that only a module has, and one that it never has: a word at the start of a line may stand in a comment. */
const MODULE_LINE = /^\s*(?:import\s*[\w{*'"]|export\s*[\w{*])/m;
const COMMONJS_LINE = /^\s*(?:module\.)?exports\b/m;
/** What a file is that Node takes for CommonJS. */
const MODULE_FORMATS: Readonly<Record<string, string>> = {
  commonjs: 'module',
  'commonjs-typescript': 'module-typescript',
};
let isRegistered = false;

/**
 * Imports the file of an author. What is written as a module is one, also where the package.json above it says CommonJS, as
 * `npm init` writes it: Node alone refuses that.
 */
export async function importOwnFile(file: string, version?: string): Promise<Record<string, unknown>> {
  readModulesAsModules();
  // A file that changed in the meantime is another module.
  const url = `${pathToFileURL(file).href}${version === undefined ? '' : `?${version}`}`;
  return (await import(url)) as Record<string, unknown>;
}

/** For every file that is loaded from here on, as an author's file imports others; not for what is installed. */
function readModulesAsModules(): void {
  if (isRegistered) return;
  isRegistered = true;
  // Not by its name, and not where Node has none: what else is here loads there too.
  module.registerHooks?.({
    load(url, context, next) {
      const format = MODULE_FORMATS[context.format ?? ''];
      return next(url, format === undefined || !isModule(url) ? context : { ...context, format });
    },
  });
}

function isModule(url: string): boolean {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return false;
  const path = fileURLToPath(url);
  if (!SOURCE.test(path)) return false;
  const text = readFileSync(path, 'utf8');
  return MODULE_LINE.test(text) && !COMMONJS_LINE.test(text);
}
