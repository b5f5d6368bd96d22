import HTTPTypes
import Hummingbird

/// All routes, each registered once with its path, method and handler.
struct Routes: Sendable {
    typealias Handler = @Sendable (Request, GatewayContext) async throws -> Response

    private struct Route {
        let path: String
        let method: HTTPRequest.Method
        let handler: Handler
    }
    private var routes: [Route] = []

    /// Also handles HEAD, without the body, unless ``head(_:_:)`` does.
    mutating func get(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .get, handler: handler))
    }

    mutating func post(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .post, handler: handler))
    }

    mutating func head(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .head, handler: handler))
    }

    mutating func patch(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .patch, handler: handler))
    }

    mutating func delete(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .delete, handler: handler))
    }

    mutating func options(_ path: String, _ handler: @escaping Handler) {
        routes.append(Route(path: path, method: .options, handler: handler))
    }

    /// The methods that a path allows; empty for an unknown path. Segments in braces match anything that no other route names, and `**` at
    /// the end any number of segments.
    func methods(of path: String) -> [String] {
        let exact = routes.filter { $0.path == path }
        let segments = path.split(separator: "/")
        let matching =
            exact.isEmpty
            ? routes.filter { route in
                let own = route.path.split(separator: "/")
                let isOpen = own.last == "**" && own.count <= segments.count
                return (isOpen || own.count == segments.count)
                    && zip(own, segments).allSatisfy { $0.hasPrefix("{") || $0 == "**" || $0 == $1 }
            } : exact
        return matching.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.rawValue] }
            .reduce(into: []) { methods, method in if !methods.contains(method) { methods.append(method) } }
    }

    /// Builds the router behind the middleware, which also handles requests without a route.
    func router(behind middleware: some RouterMiddleware<GatewayContext>) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: middleware)
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in try await route.handler(request, context) }
        }
        return router
    }
}
