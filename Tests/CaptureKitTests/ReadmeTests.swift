import Foundation
import Testing

@testable import CaptureKit

/// The tables of Clients/CaptureKit/README.md are the code's.
@Suite("The README of the device library")
struct ReadmeTests {
    private static let now = Date(timeIntervalSince1970: 784_111_777)
    /// The row of every answer that no other row names.
    private static let otherwise = "anything unexpected"

    @Test("has each state with those that may follow")
    func states() throws {
        let rows = try Readme.table(headed: "State")
        #expect(rows.compactMap { CaptureState(rawValue: $0[0]) }.count == rows.count)
        #expect(Set(rows.map { $0[0] }) == Set(CaptureState.allCases.map(\.rawValue)))
        for row in rows {
            let next = CaptureState(rawValue: row[0])?.next.map(\.rawValue).sorted().joined(separator: ", ")
            #expect(row[3] == next, "\(row[0])")
        }
    }

    @Test("has the limits of assertions and of the store")
    func limits() throws {
        let seconds = AssertionRetry.delays.map { "\($0 / .seconds(1) as Double)".dropLast(2) }
        let states = try Readme.table(headed: "State")
        #expect(states.contains { $0[2].hasSuffix("after \(seconds.dropLast().joined(separator: ", ")) and \(seconds.last ?? "") s") })
        #expect(UploadReaction.maximumCounted == 5 && states.contains { $0[1].hasSuffix("it failed five times") })
        let limits = StoreLimits()
        #expect(limits.retention == .seconds(7 * 86_400) && states.contains { $0[2].contains("after seven days") })
        let text = try Readme.text
        #expect(text.contains("From \(limits.warningBytes / 1_000_000) MB on `usage` warns"))
        #expect(text.contains("at \(limits.maximumBytes / 1_000_000_000) GB `add` throws"))
    }

    @Test("says of every answer what it leads to")
    func answers() throws {
        let rows = try Self.reactions()
        #expect(try Readme.text.contains("A 400, 413, 415 or 422 without a code is not the server's, and is unexpected."))
        let codes = Set(try DocumentedErrors.of(post: "/api/v1/captures").map(\.code))
        for status in 100...599 {
            for code in codes.sorted() + [""] {
                let response = HTTPResponse.error(status, code, headers: ["date": "Sun, 06 Nov 1994 08:49:37 GMT"])
                // What the success of an upload looks like is not the table's.
                guard ![200, 201].contains(status) else { continue }
                let isOfProxy = code.isEmpty && [400, 413, 415, 422].contains(status)
                let row = rows["\(status) \(code)"] ?? (isOfProxy ? nil : rows["\(status)"]) ?? rows[Self.otherwise]
                #expect(row == Self.sentence(Self.reaction(.success(response))), "\(status) \(code)")
            }
        }
        for status in [200, 201] {
            let data = "{\"capture_id\":\"\(UUID())\",\"status\":\"processing\",\"verification_url\":\"https://example.com/v/1\"}"
            #expect(rows["\(status)"] == Self.sentence(Self.reaction(.success(.data(status, data)))))
        }
    }

    @Test("says of every failure of the connection what it leads to", arguments: ["no connection", "a cut", "a wrong pin", "a time-out"])
    func failures(what: String) throws {
        let failure: TransportFailure = what == "a wrong pin" ? .untrusted(what) : .unreachable(what)
        #expect(try Self.reactions()[what] == Self.sentence(Self.reaction(.failure(failure))))
    }

    @Test("says what each answer to an upload that resumes leads to")
    func resumption() throws {
        let data = "{\"capture_id\":\"\(UUID())\",\"status\":\"processing\",\"verification_url\":\"https://example.com/v/1\"}"
        for row in try Readme.table(headed: "To the bytes") {
            for answer in row[0].split(separator: ", ").map({ $0.split(separator: " ") }) {
                let status = try #require(Int(answer[0]))
                let response =
                    switch (status, answer.dropFirst().first) {
                    case (200...201, _): HTTPResponse.data(status, data)
                    case (204, _), (408, _), (409, _): UploadBook.refusal(status, "", ["upload-offset": "700", "upload-complete": "?0"])
                    case (404, _), (410, _), (429, _), (500, _), (502...504, _): UploadBook.refusal(status, "")
                    case (_, let code?): UploadBook.refusal(status, String(code))
                    case (_, nil): HTTPResponse(status: status, headers: [:], body: [])
                    }
                #expect(Self.sentence(after: response) == row[1], "\(answer)")
            }
        }
        #expect(ResumableUpload.smallestBytes == 1 << 20 && ResumableUpload.smallestBytesAfterBreak == 64 << 10)
    }

    /// The README's words for what follows an answer to the request with the bytes.
    private static func sentence(after response: HTTPResponse) -> String {
        let address = UploadAddress(location: "/api/v1/uploads/x", at: nil)
        let kept = KeptUpload(address: address, lengthBytes: 2000, storedBytes: 500)
        var upload = ResumableUpload(lengthBytes: 2000, at: nil, goingOnWith: kept)
        upload.received(UploadBook.refusal(204, "", ["upload-offset": "500", "upload-complete": "?0"]), at: now)
        upload.received(response, at: now)
        return switch upload.step {
        case .create where upload.kept?.mismatches == 1: "Begun anew once, then failed"
        case .create: "Begun anew; after two times sent whole"
        case .askOffset, .append: "Goes on from the byte that the server tells"
        case .fetchAnswer: "The answer that was lost is fetched"
        case .sendPlain(lasts: false): "Something on the way does not know it: sent whole"
        case .sendPlain(lasts: true): "Not known here: sent whole, and for an hour so is everything"
        case .end(.success(let response)) where response.status < 300: "uploaded"
        case .end: "As any upload, see above; the address stays"
        }
    }

    private static func reaction(_ outcome: Result<HTTPResponse, any Error>) -> UploadReaction {
        UploadReaction(to: outcome, after: UploadHistory(), at: now)
    }

    /// By each answer of the first column: a status, a status with its code, or words.
    private static func reactions() throws -> [String: String] {
        var reactions: [String: String] = [:]
        for row in try Readme.table(headed: "Answer") {
            for answer in row[0].split(separator: ", ") {
                #expect(reactions.updateValue(row[1], forKey: String(answer)) == nil, "\(answer) has two rows")
            }
        }
        return reactions
    }

    /// The README's words for a reaction.
    private static func sentence(_ reaction: UploadReaction) -> String {
        let waits = UploadBackoff.delays.map { "\($0 / .seconds(1) as Double)".dropLast(2) }.joined(separator: ", ")
        return switch reaction {
        case .uploaded: "uploaded"
        case .setClock: "The server's time is taken from Date; signed again and sent"
        case .signAgain: "Signed again once"
        case .registerAgain: "Registered anew, asserted anew by the new identity"
        case .stopIdentity: "This identity's captures wait for retry or resume; QueueSnapshot.revokedDevices tells"
        case .holdQueue: "The whole queue waits as long as Retry-After says"
        case .tryLater(_, _, counts: true): "Counts; failed after five"
        case .tryLater(_, _, counts: false):
            "Never counts; the queue waits \(waits) s, then until there is a network, or five minutes"
        case .fail: "failed at once, with the server's code and details"
        }
    }
}

private enum Readme {
    static var text: String {
        get throws {
            let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
            let page = tests.deletingLastPathComponent().appendingPathComponent("Clients/CaptureKit/README.md")
            return try String(contentsOf: page, encoding: .utf8)
        }
    }

    /// The rows below the heading of a table, cell by cell, without the marks of code.
    static func table(headed first: String) throws -> [[String]] {
        let lines = try text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("| \(first) |") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
            }
        }
    }
}
