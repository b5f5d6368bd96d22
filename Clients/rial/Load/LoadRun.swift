import CaptureProtocol
import Foundation
import MediaStore
import RialClient

/// Sends captures and follows each until it is final.
struct LoadRun: Sendable {
    /// The maximum number of captures that are being sent or followed. Beyond it a steady rate is not kept, which is reported.
    static let maximumInFlight = 512

    /// The captures to send.
    enum Content: Sendable {
        case photos(LoadSource)
        case video(LoadVideo)

        var sizeBytes: Int {
            switch self {
            case .photos(let source): source.sizeBytes
            case .video(let video): video.sizeBytes
            }
        }
    }

    let client: APIClient
    let content: Content
    let sessions: [DeviceSession]
    let isResumable: Bool
    let drain: Duration
    private let ledger = LoadLedger()

    init(client: APIClient, content: Content, sessions: [DeviceSession], isResumable: Bool, drain: Duration) {
        self.client = client
        self.content = content
        self.sessions = sessions
        self.isResumable = isResumable
        self.drain = drain
    }

    /// Starts a capture every `1 / rate` seconds.
    /// - Parameter looksLater: read the evidence only after all captures are sent, so that reading does not affect the measurement.
    func steady(rate: Double, for duration: Duration, looksLater: Bool) async -> LoadReport {
        let start = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            for await number in Pace(rate: rate, for: duration, from: start) where await ledger.begin(limit: Self.maximumInFlight) {
                group.addTask {
                    if let id = await send(number) {
                        if looksLater { await ledger.defer(id) } else { await follow(id, since: .now, until: .now + drain) }
                    }
                    await ledger.end()
                }
            }
        }
        let sent = start.duration(to: .now)
        await followDeferred()
        return await ledger.report(mode: "steady", elapsed: start.duration(to: .now), sending: sent)
    }

    /// Keeps `concurrency` uploads in progress. The evidence is read afterwards, so that reading does not affect the measurement.
    func flood(concurrency: Int, for duration: Duration) async -> LoadReport {
        let start = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            for worker in 0..<concurrency {
                group.addTask {
                    var number = worker
                    while start.duration(to: .now) < duration, !Task.isCancelled {
                        if let id = await send(number) {
                            await ledger.defer(id)
                        } else {
                            // Backoff after a rejected upload.
                            try? await Task.sleep(for: .milliseconds(50))
                        }
                        number += concurrency
                    }
                }
            }
        }
        let sent = start.duration(to: .now)
        await followDeferred()
        return await ledger.report(mode: "flood", elapsed: start.duration(to: .now), sending: sent)
    }

    private func followDeferred() async {
        let deadline = ContinuousClock.now + drain
        await withDiscardingTaskGroup { group in
            for share in await ledger.takeDeferred(shares: 16) {
                group.addTask { for id in share { await follow(id, since: nil, until: deadline) } }
            }
        }
    }

    private func send(_ number: Int) async -> CaptureID? {
        guard !sessions.isEmpty else { return nil }
        let session = sessions[number % sessions.count]
        do {
            let client = client.with(retries: .none)
            let start: ContinuousClock.Instant
            let accepted: AcceptedCapture
            switch content {
            case .photos(let source):
                let upload = try await source.draft(number).upload(model: session.model, binding: .v2, session: session)
                start = .now
                accepted = try await client.send(upload, signer: session, isResumable: isResumable)
            case .video(let video):
                let upload = try await video.upload(session: session)
                start = .now
                accepted = try await client.send(upload, signer: session, isResumable: isResumable)
            }
            await ledger.accepted(after: start.duration(to: .now))
            return accepted.captureID
        } catch {
            await ledger.failed(Self.word(for: error))
            return nil
        }
    }

    private func follow(_ id: CaptureID, since accepted: ContinuousClock.Instant?, until deadline: ContinuousClock.Instant) async {
        repeat {
            do {
                let capture = try await client.capture(id)
                if capture.isFinal {
                    await ledger.finished(capture, observed: accepted.map { $0.duration(to: .now) })
                    return
                }
                try await Task.sleep(for: .milliseconds(100))
            } catch {
                await ledger.failed(Self.word(for: error))
                return
            }
        } while ContinuousClock.now < deadline
        await ledger.failed("not_final")
    }

    private static func word(for error: any Error) -> String {
        guard let failure = error as? APIFailure else { return "\(error)" }
        return failure.serverCode ?? failure.code.rawValue
    }
}
