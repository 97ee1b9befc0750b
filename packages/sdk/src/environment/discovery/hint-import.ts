/** What to do about a file that could not be imported. */
export const hintImport = (cause: unknown): string =>
  cause instanceof SyntaxError && cause.message.includes('outside a module')
    ? 'The package.json above it is of CommonJS, as `npm init` writes it: say "type": "module" there, or name the file .mts.'
    : 'Run it with node to see where.';
