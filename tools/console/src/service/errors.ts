// What can go wrong with a request, as one kind of error.

/** An issue of the API: see `Issue` in the schema. */
export interface Issue {
  readonly userMessage: string;
  readonly issueLevel: "ERROR" | "WARNING";
  readonly issueType: string;
  readonly issueReferenceType?: "ENTITY" | "ENTITY_ROLE" | "ENTITY_ATTRIBUTE" | null;
  readonly entityID?: string | null;
  readonly _clientId?: string | null;
  readonly entityName?: string | null;
  readonly attributeNames?: readonly string[] | null;
  readonly roleNames?: readonly string[] | null;
  readonly traceId?: string;
  /** The object as it is now, if a newer revision is why the write was refused. */
  readonly current?: Readonly<Record<string, unknown>> | null;
}

export type ServiceErrorKind =
  /** The browser got no response. */
  | "OFFLINE"
  /** The service answers, but can't do anything at the moment (429, 502, 503, 504). */
  | "UNAVAILABLE"
  /** The member gave up signing in again. */
  | "SIGNED_OUT"
  /** The request needs a sign-in of the last minutes. */
  | "STALE_SIGN_IN"
  | "FORBIDDEN"
  | "NOT_FOUND"
  /** The service names what is wrong with the request. */
  | "REFUSED"
  /** The service failed. */
  | "FAILED";

export class ServiceError extends Error {
  override readonly name = "ServiceError";

  constructor(
    readonly kind: ServiceErrorKind,
    message: string,
    readonly issues: readonly Issue[] = [],
    /** Seconds after which the service may do better. */
    readonly retryAfter: number | null = null,
    /** The status of the response, if there was one. */
    readonly status: number | null = null,
  ) {
    super(message);
  }
}

export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError("FAILED", error instanceof Error ? error.message : String(error));
}
