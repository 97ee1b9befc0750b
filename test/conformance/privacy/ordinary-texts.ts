import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Sources and pages that hold made-up secrets on purpose: tests, and the rooms and pages that are about them. */
const ABOUT_SECRETS =
  /\.(?:test|fixture)\.ts$|[\\/](?:redaction|privacy|capture|data|dist|node_modules)[\\/]|plant-secrets|secret/;

/** Packages whose pages show passwords: they are about cookies, signatures, databases and redaction. */
const PACKAGES_ABOUT_SECRETS = /redact|cookie|pg-|pkce|jose|jsonwebtoken|secret|auth|oauth|@modelcontextprotocol/;

export interface OrdinaryText {
  readonly name: string;
  readonly text: string;
}

/** What agents read all day: our sources and pages, and the pages and licences of the packages we use. */
export function readOrdinaryTexts(root: string): OrdinaryText[] {
  const files = ['docs', 'packages', 'examples', 'test'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => path.join(root, folder, file))
      .filter((file) => /\.(?:ts|md|py|yaml|sql)$/.test(file) && !ABOUT_SECRETS.test(path.relative(root, file))),
  );
  const seen = new Set<string>();
  return [...files, ...listPackagePages(root)].flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    if (seen.has(text) || text.length > 2_000_000) return [];
    seen.add(text);
    return [{ name: path.relative(root, file), text }];
  });
}

function listPackagePages(root: string): string[] {
  const store = path.join(root, 'node_modules/.pnpm');
  if (!existsSync(store)) return [];
  return readdirSync(store)
    .filter((name) => !PACKAGES_ABOUT_SECRETS.test(name))
    .flatMap((name) => {
      const folder = path.join(store, name, 'node_modules');
      const own = name.replace(/^@([^+]+)\+([^@]+)@.*$/, '@$1/$2').replace(/^([^@/][^@]*)@.*$/, '$1');
      const home = path.join(folder, own);
      if (!existsSync(home)) return [];
      return readdirSync(home)
        .filter((file) => /^(?:readme|licen[cs]e|changelog|history|contributing)/i.test(file))
        .map((file) => path.join(home, file))
        .filter((file) => statSync(file).isFile());
    });
}
