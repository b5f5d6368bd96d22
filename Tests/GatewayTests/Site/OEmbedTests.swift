import CaptureProtocol
import Foundation
import HTTPTypes
import HummingbirdCore
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("oEmbed")
struct OEmbedTests {
    @Test("a finished record is its share picture")
    func photo() {
        let body = OEmbed.body(Samples.record(kind: .photo), title: "T", publicURL: publicURL, maximumWidth: nil, maximumHeight: nil)
        #expect(body.type == "photo" && body.version == "1.0" && body.providerURL == publicURL + "/")
        #expect(body.url == "\(publicURL)/media/\(Samples.id)/og.jpg" && body.width == 1200 && body.height == 630)
    }

    @Test(
        "it is shown within what the consumer has room for",
        arguments: [
            (600, nil, 600, 315), (nil, 63, 120, 63), (0, 0, 1, 1), (5000, 5000, 1200, 630),
        ] as [(Int?, Int?, Int, Int)])
    func room(width: Int?, height: Int?, shownWidth: Int, shownHeight: Int) {
        let body = OEmbed.body(Samples.record(kind: .photo), title: "T", publicURL: publicURL, maximumWidth: width, maximumHeight: height)
        #expect(body.width == shownWidth && body.height == shownHeight)
    }

    @Test("without a picture it is a link")
    func link() {
        let body = OEmbed.body(
            Samples.record(named: "processing"), title: "T", publicURL: publicURL, maximumWidth: nil, maximumHeight: nil)
        #expect(body.type == "link" && body.url == nil && body.cacheAge == 60)
    }

    @Test("a verdict that was taken back is no picture, since the picture shows it")
    func revoked() {
        var record = Samples.record(kind: .photo)
        record.log = RecordLog(
            state: .witnessed, entry: nil, witnessedAt: nil, witnesses: [], hasBundle: false, isRevoked: true)
        let body = OEmbed.body(record, title: "T", publicURL: publicURL, maximumWidth: nil, maximumHeight: nil)
        #expect(body.type == "link" && body.url == nil)
    }

    @Test("addresses of records are understood")
    func subjects() {
        #expect(OEmbed.subject("\(publicURL)/verify/\(Samples.id)?lang=es#evidence", publicURL: publicURL) == .id(Samples.id))
        #expect(OEmbed.subject("\(publicURL)/v/Ab3dE6gH", publicURL: publicURL) == .short("Ab3dE6gH"))
    }

    @Test(
        "any other address is no record's",
        arguments: [
            "https://evil.example/verify/\(Samples.id)", "\(publicURL).evil.example/verify/\(Samples.id)", "\(publicURL)/", publicURL,
            "\(publicURL)/verify/x", "\(publicURL)/verify/\(Samples.id)/x", "\(publicURL)@evil.example/verify/\(Samples.id)",
            "/verify/\(Samples.id)",
        ])
    func strangers(address: String) {
        #expect(OEmbed.subject(address, publicURL: publicURL) == .unknown)
    }

    @Test("no address is 400, XML is 501")
    func refused() async throws {
        let site = TestSite()
        #expect(try await site.get("/oembed").status == .badRequest)
        let xml = try await site.get("/oembed?format=xml&url=\(publicURL)/verify/\(Samples.id)")
        #expect(xml.status == .notImplemented && xml.headers[.cacheControl] == "no-store")
        #expect(xml.headers[.contentType] == "application/json")
        let error = try #require(try await xml.json()["error"] as? [String: String])
        #expect(error == ["code": "NOT_IMPLEMENTED", "message": "Only format=json is supported."])
        let foreign = try await site.get("/oembed?url=https%3A%2F%2Fevil.example%2Fx")
        #expect(foreign.status == .notFound && foreign.headers[.contentType] == "application/json")
    }
}
