import CaptureProtocol
import Crypto
import Foundation
import Models
import Testing

@testable import Gateway

@Suite("Media links")
struct MediaLinksTests {
    private let links = MediaLinks(key: [UInt8](repeating: 7, count: 32))
    private let capture = CaptureID()
    private static let signedNames = MediaName.published.filter { !$0.isOpen }

    @Test("a link we made opens", arguments: signedNames)
    func opens(name: MediaName) throws {
        let query = try parse(links.path(capture, name, at: now))
        #expect(links.check(capture, name, expires: query["expires"], signature: query["signature"], at: now) == .valid)
    }

    @Test("the signature is HMAC-SHA256 over version, capture, name and expiry")
    func signature() throws {
        let query = try parse(links.path(capture, .publicCopy, at: now))
        let message = "rial-media-v1\n\(capture)\npublic.jpg\n\(query["expires"] ?? "")"
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(message.utf8), using: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
        #expect(query["signature"] == Hex.encode(code))
    }

    @Test("a link lives to its last second and is gone after it")
    func expires() throws {
        let query = try parse(links.path(capture, .publicCopy, at: now))
        let end = try #require(query["expires"].flatMap(Double.init))
        let last = Date(timeIntervalSince1970: end)
        #expect(verdict(query, at: last) == .valid)
        #expect(verdict(query, at: last.addingTimeInterval(1)) == .expired)
    }

    @Test("a link is good for 40 to 55 minutes", arguments: [0.0, 1, 449, 899, 900])
    func lifetime(offset: Double) throws {
        let time = now.addingTimeInterval(offset)
        let end = try #require(try parse(links.path(capture, .publicCopy, at: time))["expires"].flatMap(Double.init))
        let life = end - time.timeIntervalSince1970
        #expect(life <= 3300 && life > 2400)
    }

    @Test("a link that is only just made opens at a gateway whose clock is five minutes behind")
    func behind() throws {
        let seconds = now.timeIntervalSince1970
        let quarter = Date(timeIntervalSince1970: seconds - seconds.truncatingRemainder(dividingBy: 900))
        let query = try parse(links.path(capture, .publicCopy, at: quarter))
        #expect(verdict(query, at: quarter.addingTimeInterval(-300)) == .valid)
        #expect(verdict(query, at: quarter.addingTimeInterval(-301)) == .forged)
    }

    @Test("a signed expiry further ahead than an hour is refused")
    func tooFarAhead() throws {
        let query = try parse(links.path(capture, .publicCopy, at: now.addingTimeInterval(3600)))
        #expect(verdict(query, at: now) == .forged)
    }

    @Test("another capture, name, expiry or key does not open it")
    func wrong() throws {
        var query = try parse(links.path(capture, .publicCopy, at: now))
        #expect(
            links.check(CaptureID(), .publicCopy, expires: query["expires"], signature: query["signature"], at: now) == .forged)
        #expect(
            links.check(capture, .signedCopy, expires: query["expires"], signature: query["signature"], at: now) == .forged)
        let stranger = MediaLinks(key: [UInt8](repeating: 8, count: 32))
        #expect(
            stranger.check(capture, .publicCopy, expires: query["expires"], signature: query["signature"], at: now) == .forged)
        query["expires"] = query["expires"].flatMap(Int64.init).map { String($0 - 1) }
        #expect(verdict(query, at: now) == .forged)
    }

    @Test("a signature that is missing or no hex is refused, also for an expired link", arguments: [nil, "", "zz", "00", "é"] as [String?])
    func malformed(signature: String?) {
        #expect(verdict(["expires": "1", "signature": signature], at: now) == .forged)
    }

    @Test("an expiry that is no number is refused", arguments: [nil, "", "soon", "-1", "1e9", "99999999999999999999"] as [String?])
    func badExpiry(expires: String?) {
        #expect(verdict(["expires": expires, "signature": String(repeating: "00", count: 32)], at: now) == .forged)
    }

    @Test("thumbnail and preview card need no signature", arguments: [MediaName.thumbnail, .shareCard])
    func unsigned(name: MediaName) throws {
        #expect(!links.path(capture, name, at: now).contains("?"))
        #expect(links.check(capture, name, expires: nil, signature: nil, at: now) == .valid)
    }

    @Test("originals, depth and metadata have no link", arguments: [MediaName.original, .depth, .metadata])
    func neverPublic(name: MediaName) { #expect(!MediaName.published.contains(name) && !name.isOpen) }

    private func verdict(_ query: [String: String?], at time: Date) -> MediaLinks.Verdict {
        let expires = query["expires"].flatMap(\.self)
        let signature = query["signature"].flatMap(\.self)
        return links.check(capture, .publicCopy, expires: expires, signature: signature, at: time)
    }

    private func parse(_ path: String) throws -> [String: String] {
        let items = try #require(URLComponents(string: path)?.queryItems)
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}
