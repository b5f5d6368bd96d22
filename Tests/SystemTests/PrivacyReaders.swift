import CaptureProtocol
import Foundation
import TestSupport
import Testing

/// Everything that the public can read of a complete capture in privacy mode that was made in Lyon with an iPhone 15 Pro.
struct PrivacyReaders {
    private struct Answered {
        let path: String
        let headers: [String: String]
        /// Without the envelope's own time.
        let text: String
    }

    private let flags: MetadataFlags
    private let capturedAt: Date
    private let answers: [Answered]
    private let data: [String: Any]
    private let uploadedAt: Date

    init(id: String, flags: MetadataFlags, capturedAt: Date) async throws {
        let stack = try #require(LocalStack.current)
        let client = TestClient(url: stack.url)
        self.flags = flags
        self.capturedAt = capturedAt
        let shown = try await client.settled(id)
        data = shown.data
        let json = try JSONSerialization.data(withJSONObject: shown.data, options: [.sortedKeys, .withoutEscapingSlashes])
        var answers = [Answered(path: "the answer", headers: shown.headers, text: String(decoding: json, as: UTF8.self))]
        let page = "\(stack.url)/verify/\(id)".addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        for path in ["/verify/\(id)", "/api/v1/captures/\(id)/events", "/oembed?url=\(page)", "/media/\(id)/og.jpg"] {
            let answer = try await client.send("GET", path)
            #expect(answer.status == 200, "\(path): \(answer.status)")
            answers.append(Answered(path: path, headers: answer.headers, text: answer.text))
        }
        self.answers = answers
        let receipt = try await stack.sql(
            "SELECT to_char(uploaded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM captures WHERE id = '\(id)'")
        uploadedAt = try #require(receipt.first.flatMap(Timestamp.parse))
    }

    func expectOnlyShared() async throws {
        expectFlags()
        for answer in answers {
            let said =
                answer.text + "\n" + answer.headers.filter { $0.key != "date" }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
            for secret in secrets { #expect(!said.contains(secret), "\(answer.path) with \(flags) says \(secret)") }
            let untimed = said.withoutTimes
            for place in places { #expect(!untimed.contains(place), "\(answer.path) with \(flags) says \(place)") }
            guard flags.timestamp != .exact else { continue }
            // A time of day, wherever it comes from.
            for match in said.matches(of: /T(\d\d:\d\d)|\d{4} (\d\d:\d\d:\d\d) GMT/) {
                let time = match.1 ?? match.2 ?? ""
                #expect(time.hasPrefix("00:00"), "\(answer.path) with \(flags) says \(match.0)")
            }
        }
        let shown = answers.prefix(2).map(\.text)
        // By either of its names.
        if flags.device != .none {
            #expect(shown.allSatisfy { $0.contains("iPhone 15 Pro") || $0.contains("iPhone16,1") }, "\(flags)")
        }
        if flags.location != .none { #expect(shown.allSatisfy { $0.contains("Lyon") }, "\(flags)") }
        if flags.timestamp == .exact { #expect(shown[1].contains(Self.minute(capturedAt)), "\(flags)") }
    }

    private func expectFlags() {
        let told = data["metadata_flags"] as? [String: String]
        #expect(
            told == ["location": flags.location.rawValue, "timestamp": flags.timestamp.rawValue, "device": flags.device.rawValue])
        #expect(data["capture_mode"] as? String == "hash_only" && data["media_stored"] as? Bool == false)
        #expect(data["confidence_level"] as? String == "high", "\(flags)")
        #expect(data["captured_precision"] as? String == flags.timestamp.rawValue)
        switch flags.timestamp {
        case .none: #expect(data["captured_at"] is NSNull)
        case .day: #expect(data["captured_at"] as? String == Timestamp.formatDay(capturedAt))
        case .exact:
            #expect((data["captured_at"] as? String).flatMap(Timestamp.parse).map { abs($0.timeIntervalSince(capturedAt)) < 0.001 } == true)
        }
    }

    /// What no answer may say of the place; the precise one is its owner's.
    private var places: [String] { ["45.764", "4.8356"] + (flags.location == .none ? ["Lyon", "45.76", "France"] : []) }

    /// What no answer may say of anything else.
    private var secrets: [String] {
        var secrets: [String] = []
        if flags.device == .none { secrets += ["iPhone 15", "iPhone16,1"] }
        if flags.device != .full { secrets += ["os_version", "app_version"] }
        if flags.timestamp != .exact { secrets += [capturedAt, uploadedAt].map(Self.told).filter { $0 != Self.midnight } }
        return secrets
    }

    /// Five minutes ago: another minute than that of the receipt, which is shown by itself, and not the first of a day.
    static func timeOfCapture() -> Date {
        let time = Date().addingTimeInterval(-300)
        return midnight.hasPrefix(minute(time)) ? time.addingTimeInterval(-60) : time
    }

    /// As which a whole day is given.
    private static let midnight = "00:00:00"

    /// What tells the time: its minute, with the second in the first minute of a day.
    private static func told(_ time: Date) -> String {
        let minute = minute(time)
        return midnight.hasPrefix(minute) ? String(Timestamp.format(time).dropFirst(11).prefix(8)) : minute
    }

    private static func minute(_ time: Date) -> String { String(Timestamp.format(time).dropFirst(11).prefix(5)) }
}
