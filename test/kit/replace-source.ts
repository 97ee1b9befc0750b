import { registerHooks } from 'node:module';

/**
 * For a process of its own (`node --import …`): one piece of one file of ours is another as the file is loaded, be it a source
 * (`packages/server/src/….ts`) or the same file of an installed package. A process whose file does not have the piece ends: a
 * mutant without its fault would be an honest run, and pass.
 */
export function replaceSource(options: { name: string; file: string; from: string; to: string }): void {
  const { name, file, from, to } = options;
  const files = [file, file.replace(/^packages\/([^/]+)\/src\/(.*)\.ts$/, 'node_modules/@lachesis/$1/dist/$2.js')];
  const piece = toPattern(from);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!files.some((known) => url.endsWith(known))) return loaded;
      const text =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source ?? new Uint8Array());
      if (!piece.test(text)) throw new Error(`there is no place for the fault ${name} in ${url}: ${from}`);
      return { ...loaded, source: text.replace(piece, () => to) };
    },
  });
}

/** A compiler breaks lines elsewhere, and takes away the mark behind a value that is never undefined. */
const toPattern = (piece: string): RegExp =>
  new RegExp(
    piece
      .split(/\s+/)
      .map((word) =>
        word
          .split(/!(?!=)/)
          .map(RegExp.escape)
          .join('!?'),
      )
      .join('\\s+'),
  );
