package io.encbench.tpcc.database;

import java.nio.file.Path;

/**
 * How to reach the database.
 *
 * @param driver the JDBC driver's class
 * @param url the JDBC URL, null if it is in a file
 * @param urlFile the file of a URL that holds a secret, else null
 * @param passwordFile null for a user without a password
 * @param mekFile the file with the key of our encrypting driver, null without one
 * @param plainStatements whether nothing but plain statements is sent, one by one
 */
public record Access(
    Dialect dialect,
    String driver,
    String url,
    Path urlFile,
    String user,
    Path passwordFile,
    Path mekFile,
    boolean plainStatements) {}
