import AsyncHTTPClient
import Blocking
import Foundation
import NIOCore
import NIOHTTP1
import Observability
import TransparencyLog

/// Files that others publish over HTTP.
struct PublicFiles: Sendable {
    /// There was no answer, or one that says nothing about the file.
    struct Unreachable: Error, CustomStringConvertible {
        let description: String
    }

    private static let attempts = 4
    let client: HTTPClient
    /// The time for all attempts together, bodies included, so that a server that hangs or drips delays a look no longer than a late one.
    var deadline: Duration = .seconds(60)

    static func makeClient() -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .follow(max: 3, allowCycles: false), timeout: .init(connect: .seconds(10), read: .seconds(30)))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// - Returns: `nil` if there is no such file. One that is too large to be ours is empty.
    /// - Throws: ``Unreachable`` after some attempts.
    func read(_ address: String) async throws -> [UInt8]? {
        var backoff = Backoff(initial: 0.1, limit: 2)
        let end = ContinuousClock.now + deadline
        var problem = ""
        for attempt in 1...Self.attempts where ContinuousClock.now < end {
            let left = ContinuousClock.now.duration(to: end)
            switch await withTimeout(left, of: { await answer(address, within: left) }) {
            case .file(let bytes)?: return bytes
            case .noFile?: return nil
            case .problem(let found)?: problem = found
            case nil:
                try Task.checkCancellation()
                problem = "does not answer in time"
            }
            if attempt < Self.attempts { try await Task.sleep(for: backoff.next()) }
        }
        throw Unreachable(description: "\(address) \(problem)")
    }

    private enum Answer: Sendable {
        case file([UInt8])
        case noFile
        case problem(String)
    }

    /// Head and body of one attempt. The client's own timeout ends with the head.
    private func answer(_ address: String, within left: Duration) async -> Answer {
        do {
            let response = try await client.execute(HTTPClientRequest(url: address), timeout: TimeAmount(left))
            switch response.status.code {
            case 200: return .file(try await Self.body(of: response))
            case 404, 410: return .noFile
            default: return .problem("answers \(response.status.code)")
            }
        } catch {
            return .problem("cannot be reached (\(error))")
        }
    }

    private static func body(of response: HTTPClientResponse) async throws -> [UInt8] {
        do {
            return Array(try await response.body.collect(upTo: Tile.maximumFileBytes).readableBytesView)
        } catch is NIOTooManyBytesError {
            return []
        }
    }
}
