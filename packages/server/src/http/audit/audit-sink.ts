import type { Principal } from '../access/principal.ts';
import type { RouteFacts } from '../route.ts';

/** One call of a server, as the audit log is told of it: no body, no header, no query. */
export interface AuditedCall {
  method: string;
  /** Undefined for a path that is not served. */
  route: RouteFacts | undefined;
  /** Undefined for a caller who was refused before it was known who calls. */
  principal: Principal | undefined;
  /** The address of the other end of the socket. */
  address: string;
  /** What the call was about: what the path named, by the names of the route, and what its handler added. */
  things: Readonly<Record<string, string>>;
  status: number;
  /** The code of the refusal, where there is one. */
  code?: string | undefined;
}

/** Where calls are told to. It never throws and never waits: a call is not slower because it is written down. */
export interface AuditSink {
  observe(call: AuditedCall): void;
}
