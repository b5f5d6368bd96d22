/// Which members of a device's own report speak of a place or of one device, by their names. Hiding too much costs little: the owner
/// sees the whole report.
enum PrivateMember {
    /// Anywhere in the letters of a name, whatever stands between them.
    private static let parts = [
        "latitude", "longitude", "location", "position", "coordinate", "altitude", "elevation", "address", "place", "street", "postal",
        "postcode", "zipcode", "geohash", "geotag", "geoip", "gps", "accuracy", "deviceid", "keyid", "userid", "accountid", "vendor",
        "serial", "imei", "udid", "uuid", "bssid", "ssid", "macaddr", "phonenumber", "email", "hostname", "fingerprint",
    ]
    /// A word of a name on its own.
    private static let words: Set<String> = [
        "lat", "lon", "lng", "long", "alt", "geo", "city", "town", "village", "country", "region", "zip", "idfa", "idfv", "meid", "iccid",
        "imsi", "ip", "mac", "owner", "user", "device", "where",
    ]

    /// - Parameter name: as written: `device_id`, `deviceId`, `DEVICE.ID`, `device id`.
    static func isPrivate(_ name: String) -> Bool {
        let words = self.words(of: name)
        let letters = words.joined()
        return words.contains(where: self.words.contains) || parts.contains { letters.contains($0) }
    }

    /// Lower-case words of letters: what is between them, and a capital after a small letter, ends one.
    private static func words(of name: String) -> [String] {
        var words: [String] = [""]
        var wasSmall = false
        for scalar in name.unicodeScalars {
            let isCapital = scalar.properties.isUppercase
            if !scalar.properties.isAlphabetic || (isCapital && wasSmall), words.last?.isEmpty == false { words.append("") }
            if scalar.properties.isAlphabetic { words[words.count - 1] += scalar.properties.lowercaseMapping }
            wasSmall = scalar.properties.isLowercase
        }
        return words.filter { !$0.isEmpty }
    }
}
