import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// Serves the files of a folder on a free port.
struct FolderServer: Sendable {
    /// What was asked for, and what is answered instead of files.
    final class Record: Sendable {
        private let paths = Mutex<[String]>([])
        private let refusal = Mutex<(status: HTTPResponse.Status, prefix: String)?>(nil)

        var requests: [String] { paths.withLock { $0 } }
        func clear() { paths.withLock { $0 = [] } }
        /// - Parameters:
        ///   - status: of answers from now on; `nil` for the files.
        ///   - prefix: of the paths that get it.
        func answer(_ status: HTTPResponse.Status?, under prefix: String = "/") {
            let answer = status.map { (status: $0, prefix: prefix) }
            refusal.withLock { $0 = answer }
        }

        fileprivate func note(_ path: String) -> HTTPResponse.Status? {
            paths.withLock { $0.append(path) }
            return refusal.withLock { $0.flatMap { path.hasPrefix($0.prefix) ? $0.status : nil } }
        }
    }

    let prefix: String
    let record: Record

    /// Serves while `body` runs.
    static func with<T: Sendable>(_ folder: URL, _ body: @Sendable @escaping (FolderServer) async throws -> T) async throws -> T {
        let record = Record()
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            if let status = record.note(request.uri.path) { return Response(status: status) }
            guard !request.uri.path.contains(".."), let data = try? Data(contentsOf: folder.appendingPathComponent(request.uri.path)) else {
                return Response(status: .notFound)
            }
            return Response(status: .ok, body: .init(byteBuffer: ByteBuffer(bytes: data)))
        }
        let application = Application(
            responder: responder, server: .serving(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
            logger: Logger(label: "folder-server") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: T?.self) { group in
            group.addTask {
                try? await application.run()
                return nil
            }
            var iterator = ports.makeAsyncIterator()
            let number = await iterator.next() ?? 0
            defer { group.cancelAll() }
            return try await body(FolderServer(prefix: "http://127.0.0.1:\(number)/", record: record))
        }
    }
}
