import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian puts each major version; its programs are on nobody's PATH. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

/** The newest PostgreSQL installed from Debian's packages. */
export function findPostgres(): PostgresPrograms {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
  for (const version of versions.sort((left, right) => Number(right) - Number(left))) {
    const folder = join(DEBIAN_POSTGRES, version, 'bin');
    if (existsSync(join(folder, 'initdb')))
      return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  }
  throw new Error(`no PostgreSQL under ${DEBIAN_POSTGRES}/*/bin: run .ci/setup, or apt-get install postgresql`);
}

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root, so root hands it to the user that Debian's package creates. */
export function findPostgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name === 'postgres') return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('no user named postgres: run .ci/setup, or apt-get install postgresql');
}
