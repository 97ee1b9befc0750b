import { createTestDatabase } from '../../kit/create-test-database.ts';
import type { RunningProcess } from '../../kit/start-process.ts';
import { startRunApi } from '../../peers/atropos/start-run-api.ts';
import { startServer } from '../../peers/atropos/start-server.ts';
import { pingPostgres, startPostgres } from '../../peers/postgres/start-postgres.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';

/** Who is under test: our server, or (to prove the suite itself) the original that it was made from. */
export type SubjectName = 'lachesis' | 'original';

export interface Subject {
  readonly url: string;
  readonly process: RunningProcess;
  /** kill -9 of the serving process and the wait for the next; the original has nobody to start it again. */
  readonly killChild?: () => Promise<number>;
}

/** `LACHESIS_CONFORMANCE_SUBJECT=original` points the shows at the real `run-api`. */
export function readSubjectName(): SubjectName {
  const name = process.env['LACHESIS_CONFORMANCE_SUBJECT'] ?? 'lachesis';
  if (name === 'lachesis' || name === 'original') return name;
  throw new Error(`LACHESIS_CONFORMANCE_SUBJECT is lachesis or original, not ${name}`);
}

export interface StartSubjectOptions {
  readonly context: ScenarioContext;
  readonly database?: 'sqlite' | 'postgres';
  readonly strict?: boolean;
  readonly port?: number;
}

/** A fresh server that ends with the show. */
export async function startSubject(options: StartSubjectOptions): Promise<Subject> {
  const { context, database = 'sqlite', ...rest } = options;
  const port = rest.port === undefined ? {} : { port: rest.port };
  if (readSubjectName() === 'original') return own(context, await startRunApi(port));
  const databaseUrl = database === 'postgres' ? { databaseUrl: await openDatabase(context) } : {};
  return own(context, await startServer({ ...port, ...databaseUrl, strict: rest.strict === true }));
}

/** Closes the resource at the end of the show, also when the show is interrupted. */
export function own<T extends AsyncDisposable>(context: ScenarioContext, resource: T): T {
  context.defer(async () => {
    await resource[Symbol.asyncDispose]();
  });
  return resource;
}

/** An empty database on the Postgres of .ci/setup, or on a private one when that is gone. */
async function openDatabase(context: ScenarioContext): Promise<string> {
  const serverUrl = process.env['DATABASE_URL_TEST'];
  const answers = serverUrl !== undefined && (await answersQueries(serverUrl));
  if (!answers) context.log('no Postgres at DATABASE_URL_TEST; starting a private one');
  const url = answers ? serverUrl : own(context, await startPostgres()).url;
  return own(context, await createTestDatabase({ serverUrl: url, prefix: 'conformance' })).url;
}

async function answersQueries(url: string): Promise<boolean> {
  return pingPostgres(url).then(
    () => true,
    () => false,
  );
}
