import AsyncHTTPClient
public import CaptureProtocol
import Foundation
import Models
import NIOCore
import NIOHTTP1

extension APIClient {
    /// Longer than the server's timeout for streams.
    private static var streamTimeout: Duration { .seconds(11 * 60) }

    /// Follows a capture until it is final. A stream that ends earlier is resumed.
    ///
    /// - Parameter onEvent: called once for each event, in order.
    /// - Returns: the public form of the capture in its final state.
    public func watch(_ id: CaptureID, onEvent: (ServerEvent) -> Void = { _ in }) async throws -> CaptureRecord {
        var lastEventID: String?
        var failures = 0
        while true {
            do {
                let before = lastEventID
                try await follow(id, from: &lastEventID, onEvent)
                if lastEventID != before { failures = 0 }
            } catch let failure as APIFailure {
                failures += 1
                guard let delay = retries.delay(after: failure, attempt: failures) else { throw failure }
                try await Task.sleep(for: delay)
            }
            let capture = try await capture(id)
            if capture.isFinal { return capture }
            // A delay, in case the server ends its streams at once.
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Like ``watch(_:onEvent:)``, but with a timeout.
    /// - Throws: ``APIFailure`` `timeout`.
    public func watch(_ id: CaptureID, timeout: Duration, onEvent: @escaping @Sendable (ServerEvent) -> Void = { _ in }) async throws
        -> CaptureRecord
    {
        try await withThrowingTaskGroup(of: CaptureRecord.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await watch(id, onEvent: onEvent) }
            group.addTask {
                try await Task.sleep(for: timeout)
                throw APIFailure(.timeout, "capture \(id) is not final after \(timeout.components.seconds) s")
            }
            guard let capture = try await group.next() else { throw CancellationError() }
            return capture
        }
    }

    /// Reads one stream to its end, or until an event makes the capture final.
    private func follow(_ id: CaptureID, from lastEventID: inout String?, _ onEvent: (ServerEvent) -> Void) async throws {
        var headers = [(name: "accept", value: "text/event-stream")]
        if let lastEventID { headers.append(("last-event-id", lastEventID)) }
        let response = try await execute(request(.GET, APIPath.events(of: id), headers: headers), timeout: Self.streamTimeout)
        guard response.status == .ok else {
            let body = try? await response.body.collect(upTo: 64 * 1024)
            throw Self.failure(response, body.flatMap { try? JSONValue(parsing: Array(buffer: $0)) })
        }
        var parser = ServerEventParser()
        do {
            for try await chunk in response.body {
                for event in try parser.feed(chunk.readableBytesView) {
                    lastEventID = event.id ?? lastEventID
                    onEvent(event)
                    if Self.isFinal(event) { return }
                }
            }
        } catch let failure as APIFailure {
            throw failure
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try Task.checkCancellation()
            throw APIFailure(.unreachable, "the event stream of \(base) broke: \(error)")
        }
    }

    private static func isFinal(_ event: ServerEvent) -> Bool {
        guard event.name == "status", let json = try? JSONValue(parsing: Array(event.data.utf8)) else { return false }
        return json["status"]?.string.flatMap(CaptureStatus.init).map { $0 != .processing } ?? false
    }
}
