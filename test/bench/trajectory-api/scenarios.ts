import { findPostgresUrl } from '../../peers/postgres/find-postgres-url.ts';
import type { Scenario, ScenarioContext } from '../../scenarios/scenario.ts';
import { createStarter } from './contenders.ts';
import type { StartContender } from './contenders.ts';
import { createScenarios } from './create-scenarios.ts';

export const scenarios: Scenario[] = createScenarios({ start: startFor });

/** Postgres is the one the environment names, or one of our own for the length of the show. */
function startFor(context: ScenarioContext): StartContender {
  let url: Promise<string> | undefined;
  return createStarter({ postgresUrl: () => (url ??= findPostgresUrl(context)) });
}
