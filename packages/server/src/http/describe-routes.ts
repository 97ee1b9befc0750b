import { z } from 'zod';
import { pathsOf, type Route } from './route.ts';

/** The OpenAPI document of a list of routes. */
export function describeRoutes(
  routes: readonly Route[],
  info: { title: string; version: string },
): { openapi: string } {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    for (const path of pathsOf(route)) {
      const template = path.replaceAll(/:([a-z_]+)/g, '{$1}');
      (paths[template] ??= {})[route.method.toLowerCase()] = describeRoute(route, path);
    }
  }
  const document = {
    openapi: '3.1.0',
    info,
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, basic: { type: 'http', scheme: 'basic' } },
    },
  };
  return document;
}

function describeRoute(route: Route, path: string): object {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1]);
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...describeQuery(route.query),
  ];
  return {
    operationId: `${route.method.toLowerCase()}${path.replaceAll(/[^a-zA-Z0-9]+/g, '-')}`,
    summary: route.summary,
    ...(route.scope === 'public' ? {} : { security: [{ bearer: [] }, { basic: [] }], 'x-scope': route.scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: describeContent(route.body) } }),
    responses: {
      200: {
        description: 'Done.',
        content: describeContent(route.reply),
      },
      default: { description: 'Refused; the body says what, why and what to do next.' },
    },
  };
}

function describeQuery(query: Route['query']): object[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: 'query', required: required.includes(name), schema },
  }));
}

function describeContent(content: Route['reply']): object {
  const schema =
    content.schema === undefined ? {} : z.toJSONSchema(content.schema, { io: 'input', unrepresentable: 'any' });
  return { [content.contentType]: { schema } };
}
