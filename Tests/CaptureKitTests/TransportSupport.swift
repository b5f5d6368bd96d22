import CaptureKit
import CaptureProtocol
import Foundation
import RialClient
import Synchronization
import Testing

/// Runs `body` with a transport, and shuts it down.
func withTransport<Result: Sendable>(
    _ address: String, trust: ServerTrust = ServerTrust(pins: .none), roots: [UInt8] = [],
    timeouts: AsyncHTTPTransport.Timeouts = AsyncHTTPTransport.Timeouts(), _ body: (AsyncHTTPTransport) async throws -> Result
) async throws -> Result {
    let url = try #require(URL(string: address))
    let transport = try AsyncHTTPTransport(baseURL: url, trust: trust, extraRootsPEM: roots, timeouts: timeouts)
    do {
        let result = try await body(transport)
        try await transport.shutdown()
        return result
    } catch {
        try? await transport.shutdown()
        throw error
    }
}

/// Keeps the values that a transport reports.
final class ProgressLog: Sendable {
    private let kept = Mutex<[Int64]>([])
    var values: [Int64] { kept.withLock { $0 } }
    func add(_ value: Int64) { kept.withLock { $0.append(value) } }
}

/// A body without an end that counts what was read of it.
final class EndlessBody: HTTPBody, HTTPBodyReader {
    private let read = Mutex<Int64>(0)
    var readBytes: Int64 { read.withLock { $0 } }
    var contentLength: Int64 { 1 << 40 }
    func makeReader() -> any HTTPBodyReader { self }
    func next() -> [UInt8]? {
        read.withLock { $0 += 262_144 }
        return [UInt8](repeating: 1, count: 262_144)
    }
}
