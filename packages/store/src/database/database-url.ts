/** Why an address of a PostgreSQL cannot be used, as a sentence without the address; undefined when it can. */
export function findDatabaseUrlFault(databaseUrl: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) {
    return 'it must be a postgres:// URL; leave it out for SQLite in the home folder';
  }
  if (URL.canParse(databaseUrl)) return undefined;
  const authority = /^[a-z]+:\/\/([^/?#]*)/.exec(databaseUrl)?.[1] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1).includes(',')
    ? 'it names several hosts, which is not supported yet; name one address that follows the primary, such as a virtual IP, a DNS name or HAProxy'
    : 'it cannot be read: it must look like postgres://user:password@host:5432/database, with @ : / ? # % in the password written as %40 %3A %2F %3F %23 %25';
}

/** An address as it may be shown: without user and password, wherever they stand in it. */
export function redactDatabaseUrl(databaseUrl: string): string {
  const [, scheme = '', rest = ''] = /^([a-z+]*:\/\/)?(.*)$/is.exec(databaseUrl) ?? [];
  const at = rest.lastIndexOf('@');
  const shown = at === -1 ? rest : `[redacted]@${rest.slice(at + 1)}`;
  return `${scheme}${shown.replaceAll(/\b(\w*password|passfile)=[^&#\s]*/gi, '$1=[redacted]')}`;
}
