import Testing

@testable import Models

@Suite("What a device reports of its own detection")
struct DetectionReportTests {
    @Test("it is kept as it came, whole numbers whole")
    func kept() throws {
        let text = #"{"moire":{"frequencies":[1,2],"score":0.25},"note":"ok","real":true,"unknown":null}"#
        #expect(try WireJSON.encode(try DetectionReport(parsing: Array(text.utf8))) == Array(text.utf8))
    }

    @Test("the public form has no member that speaks of a place or of this one device, at any depth")
    func publicForm() throws {
        let text =
            #"{"Latitude":1,"a":[{"lon":2,"gps":{"x":1},"deviceID":"d","score":3}],"capture_location":"x","platform":4,"serialNumber":5}"#
        let report = try DetectionReport(parsing: Array(text.utf8)).publicForm()
        #expect(String(decoding: try WireJSON.encode(report), as: UTF8.self) == #"{"a":[{"score":3}],"platform":4}"#)
    }

    @Test(
        "however a name is written, what speaks of a place or a device is not public",
        arguments: [
            "Device-Id", "device id", "DEVICE.ID", "deviceID", "key_id", "imei", "identifier_for_vendor", "altitude", "horizontal_accuracy",
            "geohash", "geo", "geotag", "city", "street", "postcode", "ssid", "lat", "LAT", "gpsLat", "mac_address", "IP",
        ])
    func spellings(name: String) throws {
        let report = try DetectionReport(parsing: Array(#"{"\#(name)":1,"score":2}"#.utf8)).publicForm()
        #expect(String(decoding: try WireJSON.encode(report), as: UTF8.self) == #"{"score":2}"#)
    }

    @Test(
        "what says how a picture came about stays public",
        arguments: ["moire", "texture_score", "isLikelyScreen", "classes", "platform", "model"])
    func stays(name: String) throws {
        let text = #"{"\#(name)":1}"#
        let report = try DetectionReport(parsing: Array(text.utf8)).publicForm()
        #expect(String(decoding: try WireJSON.encode(report), as: UTF8.self) == text)
    }

    @Test(
        "what could not be kept or is no object is refused",
        arguments: [
            "", "[]", "1", "{", #"{"a":"\u0000"}"#, #"{"\u0000":1}"#, #"{"a":1e400}"#, #"{"a":1,"a":2}"#,
            String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40),
        ])
    func refused(text: String) {
        #expect(throws: MetadataError.self) { try DetectionReport(parsing: Array(text.utf8)) }
    }
}
