import HTTPServing
public import Hummingbird
public import Logging
public import ServiceLifecycle

/// The admin port of every service: `/livez`, `/readyz`, `/metrics`, and the service's own routes.
///
/// It is for operators and orchestrators inside the installation and must not be reachable from outside.
public enum AdminServer {
    public typealias Context = BasicRequestContext

    /// - Parameter extend: adds the service's own routes.
    public static func make(
        host: String, port: Int, metrics: MetricsRegistry, readiness: Readiness, logger: Logger,
        extend: (Router<Context>) -> Void = { _ in }
    ) -> some Service {
        let router = Router(context: Context.self)
        router.get("/livez") { _, _ in "ok\n" }
        router.get("/readyz") { _, _ in Self.readinessResponse(readiness) }
        router.get("/metrics") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.exposition())))
        }
        extend(router)
        var quiet = logger
        quiet.logLevel = .warning
        return Application(
            router: router, server: .serving(), configuration: .init(address: .hostname(host, port: port), serverName: nil), logger: quiet)
    }

    private static func readinessResponse(_ readiness: Readiness) -> Response {
        let isReady = readiness.isReady
        let rows = readiness.dependencies.sorted { $0.key < $1.key }
            .map { "\"\($0.key)\":\"\($0.value ? "connected" : "unreachable")\"" }
        let status = readiness.isDraining ? "draining" : isReady ? "ready" : "unready"
        let body = "{\"status\":\"\(status)\",\"dependencies\":{\(rows.joined(separator: ","))}}\n"
        return Response(
            status: isReady ? .ok : .serviceUnavailable, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(string: body)))
    }
}
