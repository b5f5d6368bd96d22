import CaptureProtocol
import Foundation
import RialClient

/// Requests one page repeatedly.
struct PageRun: Sendable {
    /// The maximum number of requests in progress. Beyond it pages are skipped, which is reported.
    static let maximumInFlight = 256

    let client: APIClient
    let id: CaptureID

    /// Requests the page every `1 / rate` seconds.
    /// - Throws: ``APIFailure`` if the first request fails.
    func steady(rate: Double, for duration: Duration) async throws -> PageReport {
        let size = try await client.page(of: id).count
        let ledger = Ledger()
        let start = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            for await _ in Pace(rate: rate, for: duration, from: start) where await ledger.begin() {
                group.addTask {
                    let asked = ContinuousClock.now
                    do {
                        let page = try await client.page(of: id)
                        await ledger.end(page.isEmpty ? nil : asked.duration(to: .now))
                    } catch {
                        await ledger.end(nil)
                    }
                }
            }
        }
        return await ledger.report(seconds: start.duration(to: .now) / .seconds(1), bytes: size)
    }

    private actor Ledger {
        private var inFlight = 0
        private var skipped = 0
        private var failed = 0
        private var times: [Duration] = []

        func begin() -> Bool {
            guard inFlight < maximumInFlight else {
                skipped += 1
                return false
            }
            inFlight += 1
            return true
        }

        /// - Parameter time: `nil` if the request failed.
        func end(_ time: Duration?) {
            inFlight -= 1
            if let time { times.append(time) } else { failed += 1 }
        }

        func report(seconds: Double, bytes: Int) -> PageReport {
            PageReport(
                seconds: seconds, pages: times.count, failed: failed, skipped: skipped, pageBytes: bytes,
                pageMilliseconds: Percentiles(times))
        }
    }
}

/// The results of a run.
struct PageReport: MeasurementReport {
    let seconds: Double
    let pages: Int
    /// Without a response, or with another status than 200.
    let failed: Int
    /// Not requested, because too many requests were in progress.
    let skipped: Int
    /// The transferred size of one page.
    let pageBytes: Int
    let pageMilliseconds: Percentiles?

    var isClean: Bool { failed == 0 && skipped == 0 && pages > 0 }

    enum CodingKeys: String, CodingKey {
        case seconds, pages, failed, skipped
        case pageBytes = "page_bytes"
        case pageMilliseconds = "page_ms"
    }
}
