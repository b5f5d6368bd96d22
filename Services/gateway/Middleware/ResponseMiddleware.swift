import CaptureProtocol
import Delivery
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import NIOSSL
import ObjectStorage
import Observability
import Persistence

/// Adds the request id, trace and security headers to every response, turns errors into envelopes, and records metrics and logs.
struct ResponseMiddleware: RouterMiddleware {
    typealias Context = GatewayContext
    let routes: Routes
    /// Renders error pages for browsers; `nil` without a site.
    var pages: PageResponder? = nil
    /// Whether the instance is about to end: clients are asked to use another connection for their next request.
    var isDraining: @Sendable () -> Bool = { false }

    func handle(
        _ request: Request, context: GatewayContext, next: (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let given = request.headers[.requestID], let id = UUID(uuidString: given) {
            context.requestID = id.uuidString.lowercased()
        }
        context.logger[metadataKey: "request_id"] = "\(context.requestID)"
        let parent = request.headers[.traceparent].flatMap(TraceContext.init(traceparent:))
        let trace = parent?.child() ?? TraceContext()
        let (start, began) = (ContinuousClock.now, SpanTime.now)
        let (passed, asked) = (context, request.askingForBody(on: context.channel))
        var response = await TraceContext.$current.withValue(trace) {
            do {
                return try await next(asked, passed)
            } catch {
                let failure = apiError(error, request, passed)
                return pages?.error(failure, request, passed) ?? Envelope.failure(failure, request: request, context: passed)
            }
        }
        response.headers[.requestID] = context.requestID
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "no-referrer" }
        if let version = UploadResponses.version(of: request, at: context.endpointPath) {
            response.headers[.uploadDraftInteropVersion] = String(version.rawValue)
        }
        // Whoever follows the log from another site reads refusals, too (SPEC §14).
        if request.uri.path.hasPrefix("/log/") { response.headers[.accessControlAllowOrigin] = "*" }
        if isDraining() { response.headers[.connection] = "close" }
        record(request, context, response, since: start, trace)
        Spans.record(trace) { span(request, context, response, trace, parent: parent, since: began) }
        // Also where no GET stands behind it: bytes after the header would be read as the next response.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func apiError(_ error: any Error, _ request: Request, _ context: GatewayContext) -> APIError {
        if let refusal = APIError(refusal: error) { return refusal }
        switch error {
        case let error as HTTPError where error.status == .notFound:
            // The router reports 404 for an unknown path and for a wrong method alike.
            let allowed = routes.methods(of: request.uri.path)
            if allowed.isEmpty { return .nothingHere }
            return APIError(
                .methodNotAllowed, "This address does not accept \(request.method.rawValue).",
                headers: [.allow: allowed.joined(separator: ", ")])
        case let error as HTTPError where error.status == .contentTooLarge:
            return APIError(.payloadTooLarge, "The body is too large.")
        case let error as HTTPError where error.status.kind == .clientError:
            return APIError(.validationError, "The request could not be read.")
        // The client's connection ended, was reset, or ended without the farewell of TLS. The store's client wraps what its own throw.
        case is HTTPParserError, is IOError, is NIOSSLError:
            return APIError(.validationError, "The body ended before it was complete.")
        case let error as ObjectStorageError:
            context.logger.error("object storage failed", error: error)
            return .retryLater(.storageError, "The media store cannot be reached at the moment.", seconds: 5)
        case let error as PostgresError where error.isTransient:
            context.logger.error("database failed", error: error)
            return .retryLater(.serviceUnavailable, "The service is not available at the moment.", seconds: 5)
        case let error as DependencyUnavailable:
            context.logger.error("a dependency is unavailable", error: error)
            return .retryLater(.serviceUnavailable, "The service is not available at the moment.", seconds: 5)
        default:
            context.logger.error("request failed", error: error)
            return APIError(.internalError, "Something went wrong on our side.")
        }
    }

    private func record(
        _ request: Request, _ context: GatewayContext, _ response: Response, since start: ContinuousClock.Instant, _ trace: TraceContext
    ) {
        let route = context.endpointPath ?? "unknown"
        let elapsed = ContinuousClock.now - start
        Counter(
            label: "rial_http_requests_total",
            dimensions: [("route", route), ("method", Self.label(request.method)), ("status", String(response.status.code))]
        ).increment()
        Metrics.Timer(label: "rial_http_request_seconds", dimensions: [("route", route)]).record(duration: elapsed)
        TraceContext.$current.withValue(trace) {
            context.logger.info(
                "request",
                metadata: [
                    "method": "\(Self.label(request.method))", "route": "\(route)", "status": "\(response.status.code)",
                    "milliseconds": "\(Int(elapsed / .milliseconds(1)))",
                ])
        }
    }

    /// The span of a request, with the attributes of OpenTelemetry's conventions for HTTP, but without paths and addresses: the paths of
    /// uploads and media are secret, and clients are people.
    private func span(
        _ request: Request, _ context: GatewayContext, _ response: Response, _ trace: TraceContext, parent: TraceContext?,
        since start: SpanTime
    ) -> Span {
        let (method, status) = (Self.label(request.method), response.status.code)
        var attributes: [(name: String, value: Span.Value)] = [
            ("http.request.method", .text(method == "OTHER" ? "_OTHER" : method)), ("http.response.status_code", .integer(Int64(status))),
        ]
        let route = context.endpointPath
        if let route { attributes.append(("http.route", .text(route))) }
        let verb = method == "OTHER" ? "HTTP" : method
        return Span(
            route.map { "\(verb) \($0)" } ?? verb, .server, trace, parent: parent, since: start, attributes: attributes,
            failure: status >= 500 ? String(status) : nil)
    }

    /// A metric label of bounded cardinality: unknown methods become `OTHER`.
    static func label(_ method: HTTPRequest.Method) -> String {
        ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"].contains(method.rawValue) ? method.rawValue : "OTHER"
    }
}
