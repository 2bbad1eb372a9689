// Made by `make generate` from the contract. Do not edit.
export interface paths {
    "/v1/shelves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a shelf
         * @description Creates an empty shelf, of which the caller is the owner.
         *
         *     Permission: any user.
         */
        post: operations["createShelf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shelves/{shelfId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a shelf
         * @description Returns a shelf without its books.
         *
         *     Permission: an owner or a reader of the shelf.
         */
        get: operations["getShelf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a shelf
         * @description Gives a shelf another name.
         *
         *     Permission: the owner of the shelf.
         */
        patch: operations["updateShelf"];
        trace?: never;
    };
    "/v1/shelves/{shelfId}/books": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the books of a shelf
         * @description Returns all books of a shelf, by ISBN. A shelf has at most 100.
         *
         *     Permission: an owner or a reader of the shelf.
         */
        get: operations["listBooks"];
        put?: never;
        /**
         * Add a book
         * @description Puts a book on a shelf. A shelf has an ISBN once.
         *
         *     Permission: the owner of the shelf.
         */
        post: operations["addBook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shelves/{shelfId}/books/{isbn}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a book
         * @description Takes a book off its shelf.
         *
         *     Permission: the owner of the shelf.
         */
        delete: operations["removeBook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The book to put on the shelf. */
        AddBookBody: {
            /**
             * @description ISBN without hyphens.
             * @example 9780141439518
             */
            isbn: string;
            /**
             * @description Title of the book.
             * @example Pride and Prejudice
             */
            title: string;
        };
        /** @description The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again. */
        BadRequestErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "BAD_REQUEST";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Invalid input data
             */
            message: string;
        };
        /** @description A book that is on a shelf. */
        Book: {
            /**
             * @description ISBN without hyphens.
             * @example 9780141439518
             */
            isbn: string;
            /**
             * @description Title of the book.
             * @example Pride and Prejudice
             */
            title: string;
        };
        /** @description One book that is on a shelf. */
        BookBody: {
            book: components["schemas"]["Book"];
        };
        /** @description All books of one shelf. */
        BooksBody: {
            /** @description The books. */
            books: components["schemas"]["Book"][];
        };
        /** @description The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state. */
        ConflictErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "CONFLICT";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Conflicting update
             */
            message: string;
        };
        /** @description The shelf to create. */
        CreateShelfBody: {
            /**
             * @description Name of the shelf.
             * @example Novels
             */
            name: string;
        };
        /** @description State of the stored record, on a conflict or a failed precondition: read the record, or send these values to write on top of it. Absent if the record has none. */
        CurrentState: {
            /**
             * @description Entity tag of the record, as in the header `ETag` of a read.
             * @example "01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"
             */
            etag?: string;
            /**
             * @description Id of the created record, if the response that created it cannot be repeated.
             * @example 01jr5x4g2r3a7v1z6q8s0t2w4y
             */
            id?: string;
            /**
             * Format: date-time
             * @description Time of the last change of the record, as in its `updatedAt`.
             * @example 2026-03-04T10:15:30.120Z
             */
            updatedAt?: string;
        };
        /** @description One issue of a request, with its path. */
        ErrorIssue: {
            code: components["schemas"]["IssueCode"];
            current?: components["schemas"]["CurrentState"];
            /**
             * @description Message for people.
             * @example Invalid input: expected string, received number
             */
            message: string;
            /**
             * @description Path of the issue: first `path`, `query`, `header` or `body`, then keys; indexes are written as text.
             * @example [
             *       "body",
             *       "items",
             *       "0",
             *       "name"
             *     ]
             */
            path: string[];
        };
        /** @description The caller may not do this to this record, or their token may not do it at all. With the issue `missing_scope`, use another token. */
        ForbiddenErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "FORBIDDEN";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Insufficient access
             */
            message: string;
        };
        /** @description The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time. */
        IdempotencyMismatchErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "IDEMPOTENCY_MISMATCH";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Idempotency key used for another request
             */
            message: string;
        };
        /** @description The service failed. Its log has the details under the request id of the X-Request-Id header. */
        InternalServerErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "INTERNAL_SERVER_ERROR";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Internal server error
             */
            message: string;
        };
        /**
         * @description Kind of the issue, for programs. The list is open: treat an unknown code as `custom`.
         *
         *     - `already_created`: a request with this idempotency key has created the record whose id `current` has; its response held a secret and cannot be repeated.
         *     - `concurrency_exceeded`: too many requests of the caller run at once.
         *     - `conflict`: the record is in another state than the request expects; `current` has that state.
         *     - `custom`: another rule of the contract is broken; the message says which.
         *     - `disk_full`: the disk of the installation has too little room left for files.
         *     - `expired`: the token has expired.
         *     - `in_progress`: a request with this idempotency key is still running.
         *     - `incomplete`: the body ended early.
         *     - `invalid_cursor`: the cursor was not made for this list and filter.
         *     - `invalid_element`: an entry of a collection does not fit.
         *     - `invalid_encoding`: the bytes are not UTF-8, or a percent escape is broken.
         *     - `invalid_format`: the text does not have the required form.
         *     - `invalid_json`: the body is not JSON.
         *     - `invalid_key`: the name of a property cannot be stored.
         *     - `invalid_number`: the number is too large to be stored exactly.
         *     - `invalid_text`: the text has U+0000 or half of a surrogate pair in it.
         *     - `invalid_type`: the value is missing, or of another type.
         *     - `invalid_union`: the value fits none of the alternatives.
         *     - `invalid_value`: the value is not one of those that are allowed.
         *     - `malformed`: the header or the request cannot be read.
         *     - `missing`: a header that is needed was not sent.
         *     - `missing_scope`: the token lacks a scope, which the message names.
         *     - `no_role`: the caller has no role there that allows this, or there is no such record.
         *     - `not_multiple_of`: the number is not one of the allowed steps.
         *     - `quota_exceeded`: the record would have more entries than it may.
         *     - `rate_exceeded`: the caller sent too many requests in a window of time.
         *     - `repeated`: a parameter was given more than once.
         *     - `required`: the property is required together with another one.
         *     - `reused`: the idempotency key belongs to another request.
         *     - `revoked`: the token was revoked.
         *     - `taken`: another record has this name.
         *     - `too_big`: the value is longer or larger than allowed.
         *     - `too_deep`: the body is nested too deeply.
         *     - `too_large`: the body is over the limit of the operation.
         *     - `too_many_keys`: an object has too many properties.
         *     - `too_many_values`: the body has too many values.
         *     - `too_small`: the value is shorter or smaller than allowed.
         *     - `unexpected`: something was sent that this operation does not take.
         *     - `unknown`: the token or the expectation is not known.
         *     - `unknown_book`: the shelf has no such book.
         *     - `unknown_method`: the path does not take this method; the message names those it takes.
         *     - `unknown_record`: there is no such record.
         *     - `unknown_route`: there is no such path; the message names one that is near.
         *     - `unrecognized_keys`: the property or parameter is not known.
         *     - `unsupported_media_type`: the body is not sent as the media type that the operation takes.
         * @example invalid_type
         */
        IssueCode: string;
        /** @description The addressed record does not exist, or no longer does. Check the id. */
        NotFoundErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "NOT_FOUND";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Not found
             */
            message: string;
        };
        /** @description The request body is over the limit of the operation, which the issue names. */
        PayloadTooLargeErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "PAYLOAD_TOO_LARGE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Payload too large
             */
            message: string;
        };
        /** @description The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state. */
        PreconditionFailedErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "PRECONDITION_FAILED";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Precondition failed
             */
            message: string;
        };
        /** @description The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers. */
        RequestHeaderFieldsTooLargeErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "REQUEST_HEADER_FIELDS_TOO_LARGE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Request header fields too large
             */
            message: string;
        };
        /** @description The request did not arrive completely in time. Send it again. */
        RequestTimeoutErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "REQUEST_TIMEOUT";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Request timeout
             */
            message: string;
        };
        /** @description The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it. */
        ServiceUnavailableErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "SERVICE_UNAVAILABLE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Service unavailable
             */
            message: string;
        };
        /** @description A shelf with its name. */
        Shelf: {
            /**
             * @description Id of the shelf, from its creation.
             * @example shelf_01jr5x0c8m9w3q7v
             */
            id: string;
            /**
             * @description Name of the shelf.
             * @example Novels
             */
            name: string;
        };
        /** @description A shelf with its name. */
        ShelfBody: {
            shelf: components["schemas"]["Shelf"];
        };
        /** @description The caller sends more requests than the installation allows, in a window of time or at once, or a record would have more entries than it may. Nothing was done. Wait as many seconds as Retry-After says; with the issue `quota_exceeded` waiting does not help. */
        TooManyRequestsErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "TOO_MANY_REQUESTS";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Too many requests
             */
            message: string;
        };
        /** @description The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential. */
        UnauthorizedErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "UNAUTHORIZED";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Authorization not provided
             */
            message: string;
        };
        /** @description The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding. */
        UnsupportedMediaTypeErrorBody: {
            /**
             * @description Code of the error, for programs.
             * @enum {string}
             */
            code: "UNSUPPORTED_MEDIA_TYPE";
            /** @description Issues of the request; empty if there is nothing to add. */
            issues: components["schemas"]["ErrorIssue"][];
            /**
             * @description The fixed text of the code.
             * @example Unsupported media type
             */
            message: string;
        };
        /** @description The name that the shelf gets. */
        UpdateShelfBody: {
            /**
             * @description Name of the shelf.
             * @example Poems
             */
            name: string;
        };
    };
    responses: {
        /** @description The input does not fit the contract, or names something that cannot be. Nothing was changed. Correct what the issues name before sending the request again. */
        BadRequest: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BadRequestErrorBody"];
            };
        };
        /** @description The record was changed since the caller read it, or it exists already. Read it again and repeat the change on the new state. With the issue `in_progress`, a request with the same Idempotency-Key is still running: send this one again, unchanged, after Retry-After seconds. With `already_created`, the first response held a secret, which is not stored: `current` has the id of the created record. */
        Conflict: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["RetryAfterInProgress"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConflictErrorBody"];
            };
        };
        /** @description The caller may not do this to this record, or their token may not do it at all. With the issue `missing_scope`, use another token. */
        Forbidden: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForbiddenErrorBody"];
            };
        };
        /** @description The Idempotency-Key was sent with another method, path or body before. Nothing was changed. Send another request with another key, and a repeat exactly as the first time. */
        IdempotencyMismatch: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyMismatchErrorBody"];
            };
        };
        /** @description The service failed. Its log has the details under the request id of the X-Request-Id header. */
        InternalServerError: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InternalServerErrorBody"];
            };
        };
        /** @description The addressed record does not exist, or no longer does. Check the id. */
        NotFound: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundErrorBody"];
            };
        };
        /** @description The record is in a state that `If-None-Match` names; nothing is sent again. */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The request body is over the limit of the operation, which the issue names. */
        PayloadTooLarge: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLargeErrorBody"];
            };
        };
        /** @description The record is not in the state that `If-Match` or `If-None-Match` requires; nothing was changed. The issue and the header `ETag` have its current tag: read the record again and repeat the change on that state. */
        PreconditionFailed: {
            headers: {
                ETag: components["headers"]["ETag"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PreconditionFailedErrorBody"];
            };
        };
        /** @description The request line and headers are over 16 KiB together, or there are more than 100 headers. Send fewer or shorter headers. */
        RequestHeaderFieldsTooLarge: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RequestHeaderFieldsTooLargeErrorBody"];
            };
        };
        /** @description The request did not arrive completely in time. Send it again. */
        RequestTimeout: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RequestTimeoutErrorBody"];
            };
        };
        /** @description The database cannot be reached or is overloaded. As a rule nothing was changed; it may have been if the connection to the database was lost at the very end. Try again after Retry-After seconds, a POST or PATCH with the same Idempotency-Key. If something else is missing, an issue names it. */
        ServiceUnavailable: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ServiceUnavailableErrorBody"];
            };
        };
        /** @description The caller sends more requests than the installation allows, in a window of time or at once, or a record would have more entries than it may. Nothing was done. Wait as many seconds as Retry-After says; with the issue `quota_exceeded` waiting does not help. */
        TooManyRequests: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["RetryAfter"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TooManyRequestsErrorBody"];
            };
        };
        /** @description The Authorization header is missing, or its token is malformed, unknown, expired or revoked. Send a valid token as a Bearer credential. */
        Unauthorized: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "WWW-Authenticate": components["headers"]["Challenge"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnauthorizedErrorBody"];
            };
        };
        /** @description The request body is not what the operation takes: JSON in UTF-8, sent as Content-Type: application/json, or a file, sent as application/octet-stream; both without a content encoding. */
        UnsupportedMediaType: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaTypeErrorBody"];
            };
        };
    };
    parameters: {
        /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
        IdempotencyKey: string;
        /**
         * @description Id of the shelf, from its creation.
         * @example shelf_01jr5x0c8m9w3q7v
         */
        ShelfId: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Scheme of authentication to use.
         * @example Bearer realm="api"
         */
        Challenge: string;
        /**
         * @description Entity tag of the record: it changes whenever the record, as this caller sees it, changes. Opaque; send it back unchanged.
         * @example "01jr5x2e0p1y5s9x4n6q8r0t2w-8c1d5b6e0f3a9247-4f9c02a7d1b8e365"
         */
        ETag: string;
        /**
         * @description Marks the response to an earlier request with the same Idempotency-Key.
         * @example true
         */
        IdempotentReplayed: "true";
        /**
         * @description Path of the created record.
         * @example /v1/records/01jr5x1d9n0x4r8w3m5p7q9s1v
         */
        Location: string;
        /**
         * @description Requests left (`r`) and seconds until there are more (`t`). Absent if limits are off.
         * @example "token";r=57;t=1
         */
        RateLimit: string;
        /**
         * @description Limits of the caller: requests (`q`) in a window of seconds (`w`), and requests at once. Absent if limits are off.
         * @example "token";q=100;w=2, "parallel";q=20;qu="concurrent-requests"
         */
        "RateLimit-Policy": string;
        /**
         * @description Id of the request in the log of the service; a sane one sent by the caller is used.
         * @example 01jr5x9n7w8z2g6e1v3y5a7b9d
         */
        RequestId: string;
        /**
         * @description Seconds to wait before the next attempt.
         * @example 1
         */
        RetryAfter: number;
        /**
         * @description Seconds to wait before the next attempt, while a request with the same Idempotency-Key is running.
         * @example 1
         */
        RetryAfterInProgress: number;
        /**
         * @description Time when the token of this request expires; sent with every response in its last 7 days. Create another one in time.
         * @example 2026-06-02T10:15:30.120Z
         */
        TokenExpiration: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createShelf: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateShelfBody"];
            };
        };
        responses: {
            /** @description The shelf was created. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShelfBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getShelf: {
        parameters: {
            query?: never;
            header?: {
                /** @description Entity tags, as in `ETag`, or `*`: a read returns 304 without a body if the record is in one of these states. Compared weakly. A write that is sent with it returns 412 then, and a read with `If-Match` returns 412 in every other state. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Id of the shelf, from its creation.
                 * @example shelf_01jr5x0c8m9w3q7v
                 */
                shelfId: components["parameters"]["ShelfId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shelf, without its books. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShelfBody"];
                };
            };
            304: components["responses"]["NotModified"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateShelf: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Entity tags, as in `ETag`, or `*`: the operation runs only if the record is in one of these states, and returns 412 otherwise. Compared strongly, so a weak tag never matches. On a write only the state of the record counts, so that a tag outlives a change of role or of the query. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Id of the shelf, from its creation.
                 * @example shelf_01jr5x0c8m9w3q7v
                 */
                shelfId: components["parameters"]["ShelfId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateShelfBody"];
            };
        };
        responses: {
            /** @description The shelf with its name. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShelfBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBooks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the shelf, from its creation.
                 * @example shelf_01jr5x0c8m9w3q7v
                 */
                shelfId: components["parameters"]["ShelfId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All books of the shelf. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BooksBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addBook: {
        parameters: {
            query?: never;
            header?: {
                /** @description One key per intended effect, and the same key for every repeat of it: the request has one effect, and each repeat within 7 days gets the same response. Choose it at random, such as the UUID `8e03978e-40d5-43e8-bc93-6894a57f9324`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /**
                 * @description Id of the shelf, from its creation.
                 * @example shelf_01jr5x0c8m9w3q7v
                 */
                shelfId: components["parameters"]["ShelfId"];
            };
            cookie?: never;
        };
        /** @description At most 256 KiB of JSON in UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddBookBody"];
            };
        };
        responses: {
            /** @description The book is on the shelf now. */
            201: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyMismatch"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeBook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description ISBN without hyphens.
                 * @example 9780141439518
                 */
                isbn: string;
                /**
                 * @description Id of the shelf, from its creation.
                 * @example shelf_01jr5x0c8m9w3q7v
                 */
                shelfId: components["parameters"]["ShelfId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The book was removed. */
            200: {
                headers: {
                    "Authentication-Token-Expiration": components["headers"]["TokenExpiration"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookBody"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeaderFieldsTooLarge"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
