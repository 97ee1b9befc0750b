import { registerHooks } from 'node:module';

/**
 * For a process of its own (`node --import …`): one piece of one file is another as the file is loaded. A process whose file does
 * not have the piece ends: a mutant without its fault would be an honest run, and pass.
 */
export function replaceSource(options: { name: string; file: string; from: string; to: string }): void {
  const { name, file, from, to } = options;
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(file)) return loaded;
      const text =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source ?? new Uint8Array());
      if (!text.includes(from)) throw new Error(`there is no place for the fault ${name} in ${file}: ${from}`);
      return { ...loaded, source: text.replace(from, () => to) };
    },
  });
}
