import { z } from 'zod';
import { SCOPES } from './scopes.ts';

const scopes = z.array(z.enum(SCOPES));

/** How the page of a server is let in: a code, good once and for minutes, is traded for a token that lives while it is used. */
export const sessionSchemas = {
  /** `POST /v1/session/code`. It stands behind the `#` of an address, which browsers send to nobody. */
  code: z.object({ code: z.string(), expires_at: z.int() }),
  /** `POST /v1/session`, with the code as `Authorization: Bearer`. It is shown this once, and may do what the maker of the code may. */
  opened: z.object({ token: z.string(), scopes, expires_at: z.int() }),
  /** `GET /v1/session`: who is asking. */
  own: z.object({
    tenant: z.string(),
    scopes,
    /** Null where the server asks for none. */
    token_id: z.string().nullable(),
    /** Null for a token that does not end by itself. */
    expires_at: z.int().nullable(),
  }),
};
