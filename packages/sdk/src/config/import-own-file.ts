import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SOURCE = /\.[jt]s$/;
/** A line that only a module has. */
const MODULE_LINE = /^\s*(?:import\s*[\w{*'"]|export\s*[\w{*])/m;
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
      const format = context.format === 'commonjs' || context.format === 'commonjs-typescript';
      if (!format || !isModule(url)) return next(url, context);
      return next(url, {
        ...context,
        format: context.format === 'commonjs-typescript' ? 'module-typescript' : 'module',
      });
    },
  });
}

function isModule(url: string): boolean {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return false;
  const path = fileURLToPath(url);
  return SOURCE.test(path) && MODULE_LINE.test(readFileSync(path, 'utf8'));
}
