export interface Secret {
  readonly name: string;
  readonly value: string;
  /** When it was last set; undefined for a line that a person wrote. */
  readonly setAt: string | undefined;
}

const LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;
const SET_AT = /^# set (\d{4}-\d{2}-\d{2}T[\d:.]+Z)$/;

/** Lines `NAME=value`, each with a comment before it that says when. What is no such line is named by its number alone. */
export function parseSecrets(text: string): { secrets: Secret[]; unreadableLines: number[] } {
  const secrets = new Map<string, Secret>();
  const unreadableLines: number[] = [];
  let setAt: string | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === '') continue;
    if (line.startsWith('#')) {
      setAt = SET_AT.exec(line)?.[1] ?? setAt;
      continue;
    }
    const [, name, rest = ''] = LINE.exec(line) ?? [];
    if (name === undefined) unreadableLines.push(index + 1);
    else secrets.set(name, { name, value: unquote(rest.trim()), setAt });
    setAt = undefined;
  }
  return { secrets: [...secrets.values()], unreadableLines };
}

export function writeSecrets(secrets: readonly Secret[]): string {
  const lines = secrets.flatMap(({ name, value, setAt }) => [
    ...(setAt === undefined ? [] : [`# set ${setAt}`]),
    `${name}=${quote(value)}`,
  ]);
  return `# Secrets of Lachesis; \`lachesis config\` writes this file. Nobody else may read it.\n${lines.join('\n')}${lines.length === 0 ? '' : '\n'}`;
}

/** Single quotes, as a shell reads them, when there is anything but plain letters. */
const quote = (value: string): string =>
  /^[\w@%+:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`;

function unquote(text: string): string {
  if (text.length >= 2 && text.startsWith("'") && text.endsWith("'")) {
    return text.slice(1, -1).replaceAll(String.raw`'\''`, "'");
  }
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}
