import Foundation
import Testing

@testable import CaptureProtocol

@Suite("Capture metadata")
struct CaptureMetadataTests {
    static let hash = String(repeating: "ab", count: 32)

    /// A valid document with some members replaced; `nil` removes a member.
    static func document(_ changes: [String: String?] = [:]) -> [UInt8] {
        var members: [String: String] = [
            "captured_at": "\"2026-11-21T07:00:00.5+01:00\"", "device_model": "\"iPhone 15 Pro\"", "photo_hash": "\"\(hash)\"",
            "depth_map_dimensions": #"{"width": 256, "height": 192}"#,
        ]
        for (name, value) in changes { members[name] = value }
        return Array(("{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}").utf8)
    }

    private func error(_ bytes: [UInt8]) -> MetadataError? {
        do throws(MetadataError) {
            _ = try CaptureMetadata.parse(bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test("reads every field")
    func everything() throws {
        let metadata = try CaptureMetadata.parse(
            Self.document([
                "location": #"{"latitude": 45.764, "longitude": 4.8357, "altitude": 173.5, "accuracy": 5}"#, "assertion": "\"o2M\"",
            ]))
        #expect(metadata.capturedAt == Date(timeIntervalSince1970: 1_795_240_800.5))
        #expect(metadata.deviceModel == "iPhone 15 Pro")
        #expect(metadata.photoHash.hex == Self.hash)
        #expect(metadata.depthWidth == 256 && metadata.depthHeight == 192)
        #expect(metadata.location == PreciseLocation(latitude: 45.764, longitude: 4.8357, altitude: 173.5, accuracy: 5))
        #expect(metadata.assertion == [0xa3, 0x63])
    }

    @Test("has no place and no assertion unless given", arguments: [[:], ["location": "null", "assertion": "null"]])
    func optional(changes: [String: String]) throws {
        let metadata = try CaptureMetadata.parse(Self.document(changes))
        #expect(metadata.location == nil && metadata.assertion == nil)
    }

    @Test(
        "takes both spellings of a place",
        arguments: [
            #"{"lat": -33.5, "lng": 151}"#, #"{"latitude": -33.5, "lng": 151}"#, #"{"lat": -33.5, "longitude": 151, "altitude": null}"#,
            #"{"latitude": null, "lat": -3.35e1, "longitude": 151.0}"#,
        ])
    func aliases(text: String) throws {
        let location = try CaptureMetadata.parse(Self.document(["location": text])).location
        #expect(location == PreciseLocation(latitude: -33.5, longitude: 151, altitude: nil, accuracy: nil))
    }

    @Test("accepts an impossible place, which the location check refuses", arguments: ["91", "-1e300", "1e308"])
    func offEarth(latitude: String) throws {
        let location = try CaptureMetadata.parse(Self.document(["location": "{\"lat\": \(latitude), \"lng\": 0}"])).location
        #expect(location?.latitude == Double(latitude))
    }

    @Test("takes the hash in hex of either case and in base64")
    func hashes() throws {
        let base64 = Base64.encode([UInt8](repeating: 0xab, count: 32))
        let urlSafe = base64.replacing("/", with: "_").replacing("+", with: "-").replacing("=", with: "")
        for text in [Self.hash, Self.hash.uppercased(), base64, urlSafe] {
            #expect(try CaptureMetadata.parse(Self.document(["photo_hash": "\"\(text)\""])).photoHash.hex == Self.hash)
        }
    }

    @Test(
        "names the field that is wrong",
        arguments: [
            ("captured_at", nil, "captured_at"), ("captured_at", "1795240800", "captured_at"),
            ("captured_at", "\"yesterday\"", "captured_at"),
            ("captured_at", "\"2026-11-21T07:00:00\"", "captured_at"), ("captured_at", "\"2026-02-30T07:00:00Z\"", "captured_at"),
            ("device_model", nil, "device_model"), ("device_model", "\"\"", "device_model"), ("device_model", "15", "device_model"),
            ("device_model", #""iPhone\u0000""#, "device_model"), ("device_model", #""iPhone\n15""#, "device_model"),
            ("device_model", #""a\u2028b""#, "device_model"), ("device_model", #""\u0085""#, "device_model"),
            ("photo_hash", nil, "photo_hash"), ("photo_hash", "\"abcd\"", "photo_hash"), ("photo_hash", "[1]", "photo_hash"),
            ("depth_map_dimensions", nil, "depth_map_dimensions"), ("depth_map_dimensions", "[256, 192]", "depth_map_dimensions"),
            ("depth_map_dimensions", #"{"width": 256}"#, "depth_map_dimensions.height"),
            ("depth_map_dimensions", #"{"width": 0, "height": 1}"#, "depth_map_dimensions.width"),
            ("depth_map_dimensions", #"{"width": 1, "height": 1025}"#, "depth_map_dimensions.height"),
            ("depth_map_dimensions", #"{"width": -1, "height": 1}"#, "depth_map_dimensions.width"),
            ("depth_map_dimensions", #"{"width": 1.5, "height": 1}"#, "depth_map_dimensions.width"),
            ("depth_map_dimensions", #"{"width": 1e999, "height": 1}"#, "depth_map_dimensions.width"),
            ("depth_map_dimensions", #"{"width": true, "height": 1}"#, "depth_map_dimensions.width"),
            ("depth_map_dimensions", #"{"width": "256", "height": 1}"#, "depth_map_dimensions.width"),
            ("depth_map_dimensions", #"{"width": 99999999999999999999999, "height": 1}"#, "depth_map_dimensions.width"),
            ("location", "\"Lyon\"", "location"), ("location", "[]", "location"), ("location", "{}", "location.latitude"),
            ("location", #"{"lat": 1}"#, "location.longitude"), ("location", #"{"lat": "1", "lng": 1}"#, "location.lat"),
            ("location", #"{"lat": false, "lng": 1}"#, "location.lat"), ("location", #"{"lat": 1, "lng": 1e400}"#, "location.lng"),
            ("location", #"{"lat": 1, "lng": 1, "altitude": "high"}"#, "location.altitude"),
            ("location", #"{"lat": 1, "lng": 1, "accuracy": true}"#, "location.accuracy"),
            ("assertion", "\"not base64!\"", "assertion"), ("assertion", "7", "assertion"),
        ] as [(String, String?, String)])
    func wrong(member: String, value: String?, field: String) {
        #expect(error(Self.document([member: value]))?.field == field)
    }

    @Test("bounds the model's length at 100 characters")
    func modelLength() throws {
        #expect(error(Self.document(["device_model": "\"\(String(repeating: "é", count: 100))\""])) == nil)
        #expect(error(Self.document(["device_model": "\"\(String(repeating: "é", count: 101))\""]))?.field == "device_model")
        // A hundred characters by Unicode's definition, but far too long in scalars.
        let long = String(repeating: "e\u{301}\u{323}", count: 100)
        #expect(long.count == 100)
        #expect(error(Self.document(["device_model": "\"\(long)\""]))?.field == "device_model")
    }

    @Test(
        "keeps quiet about fields it does not know",
        arguments: [
            "null", "1e999", "-0", #"{"a": [true, false, {"b": "\u0000"}]}"#, #""\ud800""#, #""\udc00\ud800x""#, #""😀 \ud83d\ude00""#,
            #""\/\b\f\n\r\t\"\\""#,
        ])
    func unknown(value: String) {
        #expect(error(Self.document(["shutter_mood": value])) == nil)
    }

    @Test("reads half a surrogate pair as a replacement character")
    func surrogates() throws {
        #expect(try CaptureMetadata.parse(Self.document(["device_model": #""a\ud83d""#])).deviceModel == "a\u{fffd}")
        #expect(try CaptureMetadata.parse(Self.document(["device_model": #""\ud83dA\ude00""#])).deviceModel == "\u{fffd}A\u{fffd}")
        #expect(try CaptureMetadata.parse(Self.document(["device_model": #""\ud83d\ude00""#])).deviceModel == "😀")
    }

    @Test(
        "refuses what is no JSON object",
        arguments: [
            "", " ", "null", "[]", "\"a\"", "1", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{'a':1}",
            "{a:1}",
            "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":0x10}", "{\"a\":NaN}",
            "{\"a\":Infinity}",
            "{\"a\":tru}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"\\ud800\\u12\"}", "{\"a\":\"\n\"}",
            "{\"a\":\"", "{}{}", "{} x", "{\"a\":[1,]}", "{\"a\":[1 2]}", "\u{feff}{}", "{/**/}",
        ])
    func malformed(text: String) {
        #expect(error(Array(text.utf8)) == MetadataError("metadata", "is not a JSON object"))
    }

    @Test("refuses text that is not UTF-8", arguments: [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]] as [[UInt8]])
    func encoding(bytes: [UInt8]) {
        #expect(error(Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8))?.field == "metadata")
        #expect(error("{}".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })?.field == "metadata")
    }

    @Test("refuses a name that occurs twice, however it is written")
    func duplicates() {
        #expect(error(Array(#"{"photo_hash": "a", "photo_hash": "b"}"#.utf8)) == MetadataError("photo_hash", "occurs twice"))
        #expect(error(Array(#"{"photo_hash": "a", "photo_\u0068ash": "b"}"#.utf8)) == MetadataError("photo_hash", "occurs twice"))
        #expect(error(Self.document(["other": #"{"x": 1, "x": 1}"#])) == MetadataError("x", "occurs twice"))
        #expect(error(Array(#"{"\u0000\n": 1, "\u0000\n": 1}"#.utf8)) == MetadataError("", "occurs twice"))
    }

    @Test("allows 32 levels and no more", arguments: ["[": "]", "{\"a\":": "}"])
    func nesting(open: String, close: String) {
        func nested(_ levels: Int) -> [UInt8] {
            let inner = String(repeating: open, count: levels - 1) + "1" + String(repeating: close, count: levels - 1)
            return Self.document(["deep": inner])
        }
        #expect(error(nested(32)) == nil)
        #expect(error(nested(33)) == MetadataError("metadata", "is nested too deep"))
        #expect(error(nested(8000))?.field == "metadata")
        #expect(error(Array(String(repeating: open, count: 9000).utf8))?.field == "metadata")
    }

    @Test("allows 64 KiB and no more")
    func size() {
        let bare = Self.document()
        let room = SizeLimits.metadata - bare.count
        #expect(error(bare + [UInt8](repeating: 0x20, count: room)) == nil)
        #expect(error(bare + [UInt8](repeating: 0x20, count: room + 1))?.problem == "is larger than 64 KiB")
    }

    @Test("survives every truncation and every changed byte")
    func damaged() {
        let bytes = Self.document(["location": #"{"lat": 1.5e1, "lng": -0.1}"#, "other": #"["\u00e9", null]"#])
        for count in 0..<bytes.count { #expect(error(Array(bytes[..<count])) != nil) }
        for index in bytes.indices {
            for value: UInt8 in [0, 0x22, 0x5c, 0x7b, 0x5d, 0x80, 0xff] {
                var changed = bytes
                changed[index] = value
                _ = error(changed)
            }
        }
    }
}
