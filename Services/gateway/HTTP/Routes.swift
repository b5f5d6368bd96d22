import HTTPTypes
import Hummingbird

/// The routes there are, each registered once with its path, its method and its handler.
struct Routes: Sendable {
    typealias Handler = @Sendable (Request, GatewayContext) async throws -> Response

    private struct Route {
        let path: String
        let method: HTTPRequest.Method
        let handler: Handler
    }
    private var routes: [Route] = []

    /// HEAD is handled alike, without the body.
    mutating func get(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .get, handler: handler))
    }

    mutating func post(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .post, handler: handler))
    }

    /// The methods that an address takes; empty for an unknown address. Segments in braces stand for anything.
    func methods(of path: String) -> [String] {
        let segments = path.split(separator: "/")
        return routes.filter { route in
            let own = route.path.split(separator: "/")
            return own.count == segments.count && zip(own, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
    }

    /// A router of all of them behind the middleware, which also sees requests without a route.
    func router(behind middleware: some RouterMiddleware<GatewayContext>) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: middleware)
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in try await route.handler(request, context) }
        }
        return router
    }
}
