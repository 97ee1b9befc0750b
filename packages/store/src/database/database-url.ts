/** What `target_session_attrs` may say here: whatever is written needs a server that takes writes. */
const WRITER_ATTRIBUTES: readonly (string | null)[] = [null, 'any', 'read-write', 'primary'];

/** Why an address of a PostgreSQL cannot be used, as a sentence without the address; undefined when it can. */
export function findDatabaseUrlFault(databaseUrl: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) {
    return 'it must be a postgres:// URL; leave it out for SQLite in the home folder';
  }
  const addresses = listDatabaseAddresses(databaseUrl);
  if (!addresses.every((address) => URL.canParse(address))) {
    return 'it cannot be read: it must look like postgres://user:password@host:5432/database, or host:5432,other:5432 where a standby may take over, with @ : / ? # % in the password written as %40 %3A %2F %3F %23 %25';
  }
  const { searchParams } = new URL(addresses[0] ?? databaseUrl);
  if (searchParams.get('host')?.includes(',')) {
    return 'it names several hosts behind host=; write them before the path: postgres://user:password@host:5432,other:5432/database';
  }
  const wanted = searchParams.get('target_session_attrs');
  return WRITER_ATTRIBUTES.includes(wanted)
    ? undefined
    : `it asks for target_session_attrs=${wanted}, and what is recorded has to be written; leave it out, the server that takes writes is found`;
}

/**
 * One address for each host that an address names, as libpq writes them: `postgres://me@db1:5432,db2:5432/lachesis`. They are servers of
 * one database, of which one takes writes.
 */
export function listDatabaseAddresses(databaseUrl: string): string[] {
  const [, before = '', authority = '', behind = ''] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const at = authority.lastIndexOf('@') + 1;
  const hosts = authority.slice(at).split(',');
  return hosts.length === 1 ? [databaseUrl] : hosts.map((host) => `${before}${authority.slice(0, at)}${host}${behind}`);
}

/** An address as it may be shown: without user and password, wherever they stand in it. */
export function redactDatabaseUrl(databaseUrl: string): string {
  const [, scheme = '', rest = ''] = /^([a-z+]*:\/\/)?(.*)$/is.exec(databaseUrl) ?? [];
  const at = rest.lastIndexOf('@');
  const shown = at === -1 ? rest : `[redacted]@${rest.slice(at + 1)}`;
  return `${scheme}${shown.replaceAll(/\b(\w*password|passfile)=[^&#\s]*/gi, '$1=[redacted]')}`;
}
