const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** The words of a page in reading order, blocks on lines of their own. It is read by a model: what looks wrong is left in. */
export function htmlToText(html: string): string {
  const body = html
    .replaceAll(/<!--[\s\S]*?-->/g, ' ')
    .replaceAll(/<(script|style|noscript|template|svg|head)\b[\s\S]*?<\/\1\s*>/gi, (whole, name: string) =>
      name.toLowerCase() === 'head' ? `${readTitle(whole)}\n` : ' ',
    )
    .replaceAll(/<(?:br|hr)\b[^>]*>/gi, '\n')
    .replaceAll(/<li\b[^>]*>/gi, '\n- ')
    .replaceAll(
      /<\/?(?:p|div|section|article|header|footer|main|nav|h[1-6]|ul|ol|table|tr|pre|blockquote)\b[^>]*>/gi,
      '\n',
    )
    .replaceAll(/<\/t[dh]\s*>/gi, '\t')
    .replaceAll(/<[a-z/!][^>]*>/gi, '');
  return decodeEntities(body)
    .replaceAll(/[ \f\v\u00a0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const readTitle = (head: string): string => /<title[^>]*>([\s\S]*?)<\/title/i.exec(head)?.[1]?.trim() ?? '';

function decodeEntities(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
